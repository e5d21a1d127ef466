// SPDX-License-Identifier: Apache-2.0
// The words of portable.hpp with AVX2: four lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

namespace fhe::cpu {

namespace {

using Vec = __m256i;
using Mask = __m256i;  // all ones or all zeros in a lane
inline constexpr std::size_t kWidth = 4;

[[gnu::always_inline]] inline Vec load(const std::uint64_t* from) {
  return _mm256_load_si256(reinterpret_cast<const Vec*>(from));
}
[[gnu::always_inline]] inline void store(std::uint64_t* to, Vec x) {
  _mm256_store_si256(reinterpret_cast<Vec*>(to), x);
}
[[gnu::always_inline]] inline Vec load_unaligned(const std::uint64_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from));
}
[[gnu::always_inline]] inline Vec load_where(Mask mask, const std::uint64_t* from) {
  return _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), mask);
}
[[gnu::always_inline]] inline void store_unaligned(std::uint64_t* to, Vec x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), x);
}
[[gnu::always_inline]] inline void prefetch(const std::uint64_t* from) {
  _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T0);
}
[[gnu::always_inline]] inline Vec all(std::uint64_t x) {
  return _mm256_set1_epi64x(static_cast<long long>(x));
}
[[gnu::always_inline]] inline Vec all_halves(std::uint32_t x) {
  return _mm256_set1_epi32(static_cast<int>(x));
}
[[gnu::always_inline]] inline Vec zero() {
  return _mm256_setzero_si256();
}

[[gnu::always_inline]] inline Vec add(Vec x, Vec y) {
  return _mm256_add_epi64(x, y);
}
[[gnu::always_inline]] inline Vec sub(Vec x, Vec y) {
  return _mm256_sub_epi64(x, y);
}
[[gnu::always_inline]] inline Vec bit_and(Vec x, Vec y) {
  return _mm256_and_si256(x, y);
}
[[gnu::always_inline]] inline Vec bit_or(Vec x, Vec y) {
  return _mm256_or_si256(x, y);
}
[[gnu::always_inline]] inline Vec bit_xor(Vec x, Vec y) {
  return _mm256_xor_si256(x, y);
}
template <int kBits>
[[gnu::always_inline]] inline Vec shift_left(Vec x) {
  return _mm256_slli_epi64(x, kBits);
}
template <int kBits>
[[gnu::always_inline]] inline Vec shift_right(Vec x) {
  return _mm256_srli_epi64(x, kBits);
}
template <int kBits>
[[gnu::always_inline]] inline Vec shift_right_signed(Vec x) {  // of x + 2^63: not negative
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  return sub(shift_right<kBits>(bit_xor(x, all(kHalf))), all(kHalf >> kBits));
}
[[gnu::always_inline]] inline Vec shift_left(Vec x, unsigned bits) {
  return _mm256_sll_epi64(x, _mm_cvtsi32_si128(static_cast<int>(bits)));
}
[[gnu::always_inline]] inline Vec shift_right(Vec x, unsigned bits) {
  return _mm256_srl_epi64(x, _mm_cvtsi32_si128(static_cast<int>(bits)));
}
[[gnu::always_inline]] inline Vec shift_left(Vec x, Vec bits) {
  return _mm256_sllv_epi64(x, bits);
}
[[gnu::always_inline]] inline Vec shift_right(Vec x, Vec bits) {
  return _mm256_srlv_epi64(x, bits);
}
[[gnu::always_inline]] inline Vec multiply_halves(Vec x, Vec y) {
  return _mm256_mul_epu32(x, y);
}
[[gnu::always_inline]] inline Vec low_product(Vec x, Vec y) {  // by halves
  const Vec crossed =
      add(multiply_halves(shift_right<32>(x), y), multiply_halves(x, shift_right<32>(y)));
  return add(multiply_halves(x, y), shift_left<32>(crossed));
}
[[gnu::always_inline]] inline Vec upper(Vec x) {
  return _mm256_castps_si256(_mm256_movehdup_ps(_mm256_castsi256_ps(x)));
}

[[gnu::always_inline]] inline Mask less_signed(Vec x, Vec y) {
  return _mm256_cmpgt_epi64(y, x);
}
[[gnu::always_inline]] inline Mask less(Vec x, Vec y) {  // by the signed comparison
  const Vec sign = all(std::uint64_t{1} << 63);
  return less_signed(bit_xor(x, sign), bit_xor(y, sign));
}
[[gnu::always_inline]] inline Mask equal(Vec x, Vec y) {
  return _mm256_cmpeq_epi64(x, y);
}
[[gnu::always_inline]] inline bool all_less(Vec x, Vec y) {
  return _mm256_movemask_epi8(less(x, y)) == -1;
}
[[gnu::always_inline]] inline unsigned lanes_of(Mask mask) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(mask)));
}
[[gnu::always_inline]] inline Mask mask_of(unsigned lanes) {
  const Vec bits = _mm256_setr_epi64x(1, 2, 4, 8);
  return equal(bit_and(all(lanes), bits), bits);
}
[[gnu::always_inline]] inline Vec add_where(Mask mask, Vec x, Vec y) {
  return add(x, bit_and(mask, y));
}
[[gnu::always_inline]] inline Vec increment_where(Mask mask, Vec x) {
  return sub(x, mask);
}
[[gnu::always_inline]] inline Vec where(Mask mask, Vec x) {
  return bit_and(mask, x);
}

[[gnu::always_inline]] inline Mask mask_of_bytes(std::uint8_t byte) {
  return _mm256_set1_epi8(static_cast<char>(byte));
}

[[gnu::always_inline]] inline Vec alternate(Vec x, Vec y) {
  return _mm256_blend_epi32(x, y, 0xCC);
}
[[gnu::always_inline]] inline Vec even_pairs(Vec x, Vec y) {
  return _mm256_unpacklo_epi64(x, y);
}
[[gnu::always_inline]] inline Vec odd_pairs(Vec x, Vec y) {
  return _mm256_unpackhi_epi64(x, y);
}
[[gnu::always_inline]] inline Vec swap_bytes(Vec x) {
  const __m128i reversed = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(reversed));
}
template <int kBlock>
[[gnu::always_inline]] inline __m128i block_of(Vec x) {
  return _mm256_extracti128_si256(x, kBlock);
}
[[gnu::always_inline]] inline Vec from_blocks(const __m128i* blocks) {
  return _mm256_set_m128i(blocks[1], blocks[0]);
}

template <std::size_t kLanesUp>
[[gnu::always_inline]] inline Vec lanes_up(Vec x, Vec below) {
  const Vec two_up = _mm256_permute2x128_si256(below, x, 0x21);
  if constexpr (kLanesUp == 1) {
    return _mm256_alignr_epi8(x, two_up, 8);
  } else {
    static_assert(kLanesUp == 2);
    return two_up;
  }
}

[[gnu::always_inline]] inline void transpose(Vec* rows) {
  const Vec a = _mm256_unpacklo_epi64(rows[0], rows[1]);
  const Vec b = _mm256_unpackhi_epi64(rows[0], rows[1]);
  const Vec c = _mm256_unpacklo_epi64(rows[2], rows[3]);
  const Vec d = _mm256_unpackhi_epi64(rows[2], rows[3]);
  rows[0] = _mm256_permute2x128_si256(a, c, 0x20);
  rows[1] = _mm256_permute2x128_si256(b, d, 0x20);
  rows[2] = _mm256_permute2x128_si256(a, c, 0x31);
  rows[3] = _mm256_permute2x128_si256(b, d, 0x31);
}

}  // namespace

}  // namespace fhe::cpu
