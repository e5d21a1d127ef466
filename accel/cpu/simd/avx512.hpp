// SPDX-License-Identifier: Apache-2.0
// The words of portable.hpp with AVX-512 F, DQ, BW and VL: eight lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

namespace fhe::cpu {

namespace {

using Vec = __m512i;
using Mask = __mmask8;  // bit l for lane l
inline constexpr std::size_t kWidth = 8;

[[gnu::always_inline]] inline Vec load(const std::uint64_t* from) {
  return _mm512_load_si512(from);
}
[[gnu::always_inline]] inline void store(std::uint64_t* to, Vec x) {
  _mm512_store_si512(to, x);
}
[[gnu::always_inline]] inline Vec load_unaligned(const std::uint64_t* from) {
  return _mm512_loadu_si512(from);
}
[[gnu::always_inline]] inline Vec load_where(Mask mask, const std::uint64_t* from) {
  return _mm512_maskz_loadu_epi64(mask, from);
}
[[gnu::always_inline]] inline void store_unaligned(std::uint64_t* to, Vec x) {
  _mm512_storeu_si512(to, x);
}
[[gnu::always_inline]] inline void store_where(Mask mask, std::uint64_t* to, Vec x) {
  _mm512_mask_storeu_epi64(to, mask, x);
}
[[gnu::always_inline]] inline void prefetch(const std::uint64_t* from) {
  _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T0);
}
[[gnu::always_inline]] inline Vec all(std::uint64_t x) {
  return _mm512_set1_epi64(static_cast<long long>(x));
}
[[gnu::always_inline]] inline Vec all_halves(std::uint32_t x) {
  return _mm512_set1_epi32(static_cast<int>(x));
}
[[gnu::always_inline]] inline Vec zero() {
  return _mm512_setzero_si512();
}

[[gnu::always_inline]] inline Vec add(Vec x, Vec y) {
  return _mm512_add_epi64(x, y);
}
// By a mask of all lanes, which costs nothing and keeps gcc from its algebra: it would make another
// operation of x - (y - z) = x + z - y, where the difference of y and z is there already.
[[gnu::always_inline]] inline Vec sub(Vec x, Vec y) {
  return _mm512_maskz_sub_epi64(0xff, x, y);
}
[[gnu::always_inline]] inline Vec bit_and(Vec x, Vec y) {
  return _mm512_and_si512(x, y);
}
[[gnu::always_inline]] inline Vec bit_or(Vec x, Vec y) {
  return _mm512_or_si512(x, y);
}
[[gnu::always_inline]] inline Vec bit_xor(Vec x, Vec y) {
  return _mm512_xor_si512(x, y);
}
template <int kBits>
[[gnu::always_inline]] inline Vec shift_left(Vec x) {
  return _mm512_slli_epi64(x, kBits);
}
template <int kBits>
[[gnu::always_inline]] inline Vec shift_right(Vec x) {
  return _mm512_srli_epi64(x, kBits);
}
template <int kBits>
[[gnu::always_inline]] inline Vec shift_right_signed(Vec x) {
  return _mm512_srai_epi64(x, kBits);
}
[[gnu::always_inline]] inline Vec shift_left(Vec x, unsigned bits) {
  return _mm512_sll_epi64(x, _mm_cvtsi32_si128(static_cast<int>(bits)));
}
[[gnu::always_inline]] inline Vec shift_right(Vec x, unsigned bits) {
  return _mm512_srl_epi64(x, _mm_cvtsi32_si128(static_cast<int>(bits)));
}
[[gnu::always_inline]] inline Vec shift_left(Vec x, Vec bits) {
  return _mm512_sllv_epi64(x, bits);
}
[[gnu::always_inline]] inline Vec shift_right(Vec x, Vec bits) {
  return _mm512_srlv_epi64(x, bits);
}
[[gnu::always_inline]] inline Vec multiply_halves(Vec x, Vec y) {
  return _mm512_mul_epu32(x, y);
}
[[gnu::always_inline]] inline Vec low_product(Vec x, Vec y) {
  return _mm512_mullo_epi64(x, y);
}
[[gnu::always_inline]] inline Vec upper(Vec x) {
  return _mm512_castps_si512(_mm512_movehdup_ps(_mm512_castsi512_ps(x)));
}

[[gnu::always_inline]] inline Mask less(Vec x, Vec y) {
  return _mm512_cmplt_epu64_mask(x, y);
}
[[gnu::always_inline]] inline Mask less_signed(Vec x, Vec y) {
  return _mm512_cmplt_epi64_mask(x, y);
}
[[gnu::always_inline]] inline Mask equal(Vec x, Vec y) {
  return _mm512_cmpeq_epi64_mask(x, y);
}
[[gnu::always_inline]] inline bool all_less(Vec x, Vec y) {
  return less(x, y) == 0xff;
}
[[gnu::always_inline]] inline unsigned lanes_of(Mask mask) {
  return mask;
}
[[gnu::always_inline]] inline Mask mask_of(unsigned lanes) {
  return static_cast<Mask>(lanes);
}
[[gnu::always_inline]] inline Vec add_where(Mask mask, Vec x, Vec y) {
  return _mm512_mask_add_epi64(x, mask, x, y);
}
[[gnu::always_inline]] inline Vec increment_where(Mask mask, Vec x) {
  return add_where(mask, x, all(1));
}
[[gnu::always_inline]] inline Vec where(Mask mask, Vec x) {
  return _mm512_maskz_mov_epi64(mask, x);
}

[[gnu::always_inline]] inline Mask mask_of_bytes(std::uint8_t byte) {
  return byte;
}

[[gnu::always_inline]] inline Vec permute(Vec x, Vec from) {
  return _mm512_permutexvar_epi64(from, x);
}
[[gnu::always_inline]] inline Vec permute_pair(Vec x, Vec y, Vec from) {
  return _mm512_permutex2var_epi64(x, from, y);
}
template <std::size_t kLanesUp>
[[gnu::always_inline]] inline Vec lanes_up(Vec x, Vec below) {
  return _mm512_alignr_epi64(x, below, kWidth - kLanesUp);
}
[[gnu::always_inline]] inline Vec even_pairs(Vec x, Vec y) {
  return _mm512_unpacklo_epi64(x, y);
}
[[gnu::always_inline]] inline Vec odd_pairs(Vec x, Vec y) {
  return _mm512_unpackhi_epi64(x, y);
}
[[gnu::always_inline]] inline Vec alternate(Vec x, Vec y) {
  return _mm512_mask_blend_epi64(0xAA, x, y);
}
[[gnu::always_inline]] inline Vec swap_bytes(Vec x) {
  const __m128i reversed = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(reversed));
}
template <int kBlock>
[[gnu::always_inline]] inline __m128i block_of(Vec x) {
  return _mm512_extracti32x4_epi32(x, kBlock);
}
[[gnu::always_inline]] inline Vec from_blocks(const __m128i* blocks) {
  const __m256i low = _mm256_set_m128i(blocks[1], blocks[0]);
  const __m256i high = _mm256_set_m128i(blocks[3], blocks[2]);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

[[gnu::always_inline]] inline void transpose(Vec* rows) {
  Vec t[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = even_pairs(rows[i], rows[i + 1]);
    t[i + 1] = odd_pairs(rows[i], rows[i + 1]);
  }
  Vec u[8];
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      u[i + k] = _mm512_shuffle_i64x2(t[i + k], t[i + 2 + k], 0x88);
      u[i + 2 + k] = _mm512_shuffle_i64x2(t[i + k], t[i + 2 + k], 0xdd);
    }
  }
  for (int k = 0; k < 4; ++k) {
    rows[k] = _mm512_shuffle_i64x2(u[k], u[4 + k], 0x88);
    rows[4 + k] = _mm512_shuffle_i64x2(u[k], u[4 + k], 0xdd);
  }
}

}  // namespace

}  // namespace fhe::cpu
