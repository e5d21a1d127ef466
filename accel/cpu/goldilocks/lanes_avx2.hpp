// SPDX-License-Identifier: Apache-2.0
// Four residues at a time with AVX2. See lanes_portable.hpp for the operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/goldilocks/prime.hpp"

#define FHE_LANES_INLINE [[gnu::always_inline]] static inline

namespace fhe::cpu::goldilocks {

namespace {

struct Avx2Lanes {
  using Vec = __m256i;
  // `high` has the upper half of w in the lower half of each lane; the rest is not used.
  struct Factor {
    Vec w;
    Vec high;
  };
  struct Product {
    Vec low;
    Vec middle;
    Vec high;
  };
  static constexpr int kProductUnit = 32;
  static constexpr std::size_t kWidth = 4;

  FHE_LANES_INLINE Vec all(std::uint64_t x) {
    return _mm256_set1_epi64x(static_cast<long long>(x));
  }
  FHE_LANES_INLINE Vec load(const std::uint64_t* from) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
  }
  FHE_LANES_INLINE void store(std::uint64_t* to, Vec x) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), x);
  }
  FHE_LANES_INLINE Vec zero() { return _mm256_setzero_si256(); }

  // The upper half of every lane in both halves.
  FHE_LANES_INLINE Vec upper(Vec x) {
    return _mm256_castps_si256(_mm256_movehdup_ps(_mm256_castsi256_ps(x)));
  }
  FHE_LANES_INLINE Factor broadcast_factor(const std::uint64_t* from) {
    return {all(*from), _mm256_set1_epi32(static_cast<int>(*from >> 32))};
  }
  FHE_LANES_INLINE Factor load_factor(const std::uint64_t* from) {
    const Vec w = load(from);
    return {w, upper(w)};
  }

  // 2^32 - 1 where a < b as unsigned words, else 0. AVX2 compares signed words only.
  FHE_LANES_INLINE Vec epsilon_where_less(Vec a, Vec b) {
    const Vec sign = all(std::uint64_t{1} << 63);
    const Vec less = _mm256_cmpgt_epi64(_mm256_xor_si256(b, sign), _mm256_xor_si256(a, sign));
    return _mm256_srli_epi64(less, 32);
  }
  // Whether x < end in every lane.
  FHE_LANES_INLINE bool all_below(Vec x, std::uint64_t end) {
    const Vec less = epsilon_where_less(x, all(end));
    return _mm256_testc_si256(less, all(kEpsilon)) != 0;
  }
  FHE_LANES_INLINE Vec sub(Vec a, Vec b) {  // + p is - (2^32 - 1) modulo 2^64
    verify("sub: b <= p", [&] { return all_below(b, kPrime + 1); });
    return _mm256_sub_epi64(_mm256_sub_epi64(a, b), epsilon_where_less(a, b));
  }
  FHE_LANES_INLINE Vec add(Vec a, Vec b) { return sub(a, prime_minus(b)); }
  FHE_LANES_INLINE Vec add_lazy(Vec a, Vec b) {
    verify("add_lazy: b < p", [&] { return all_below(b, kPrime); });
    const Vec sum = _mm256_add_epi64(a, b);
    return _mm256_add_epi64(sum, epsilon_where_less(sum, b));
  }
  FHE_LANES_INLINE Vec canonical(Vec x) { return sub(x, all(kPrime)); }
  FHE_LANES_INLINE Vec plus(Vec a, Vec b) { return _mm256_add_epi64(a, b); }
  FHE_LANES_INLINE Vec minus(Vec a, Vec b) { return _mm256_sub_epi64(a, b); }
  FHE_LANES_INLINE Vec both(Vec a, Vec b) { return _mm256_and_si256(a, b); }
  FHE_LANES_INLINE Vec prime_minus(Vec x) {
    verify("prime_minus: x <= p", [&] { return all_below(x, kPrime + 1); });
    return _mm256_sub_epi64(all(kPrime), x);
  }
  template <int kShift>
  FHE_LANES_INLINE Vec left(Vec x) {
    return _mm256_slli_epi64(x, kShift);
  }
  template <int kShift>
  FHE_LANES_INLINE Vec right(Vec x) {
    return _mm256_srli_epi64(x, kShift);
  }
  template <int kShift>
  FHE_LANES_INLINE Vec right_signed(Vec x) {  // of x + 2^63, which is not negative
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
    return minus(right<kShift>(_mm256_xor_si256(x, all(kHalf))), all(kHalf >> kShift));
  }
  FHE_LANES_INLINE Vec low_times_epsilon(Vec x) { return _mm256_mul_epu32(x, all(kEpsilon)); }

  // Four 32-bit products.
  FHE_LANES_INLINE Product full_product(Vec x, Factor factor) {
    const Vec x_high = upper(x);
    const Vec low_low = _mm256_mul_epu32(x, factor.w);
    const Vec low_high = _mm256_mul_epu32(x, factor.high);
    const Vec high_low = _mm256_mul_epu32(x_high, factor.w);
    const Vec high_high = _mm256_mul_epu32(x_high, factor.high);
    const Vec middle = _mm256_add_epi64(low_high, _mm256_srli_epi64(low_low, 32));
    const Vec middle_low = _mm256_add_epi64(high_low, _mm256_and_si256(middle, all(kEpsilon)));
    const Vec high = plus(high_high, right<32>(middle));
    const Vec low = _mm256_blend_epi32(low_low, _mm256_slli_epi64(middle_low, 32), 0xaa);
    return {low, middle_low, high};
  }
  // x w = lo + 2^64 (h + 2^32 t) = lo + (2^32 - 1) h - t.
  FHE_LANES_INLINE Vec mul(Vec x, Factor factor) {
    const Product product = full_product(x, factor);
    const Vec high = plus(product.high, right<32>(product.middle));
    return sub(sub(product.low, right<32>(high)), prime_minus(low_times_epsilon(high)));
  }

  // Transposes 4 x 4 words.
  FHE_LANES_INLINE void transpose(Vec* r) {
    const Vec a = _mm256_unpacklo_epi64(r[0], r[1]);
    const Vec b = _mm256_unpackhi_epi64(r[0], r[1]);
    const Vec c = _mm256_unpacklo_epi64(r[2], r[3]);
    const Vec d = _mm256_unpackhi_epi64(r[2], r[3]);
    r[0] = _mm256_permute2x128_si256(a, c, 0x20);
    r[1] = _mm256_permute2x128_si256(b, d, 0x20);
    r[2] = _mm256_permute2x128_si256(a, c, 0x31);
    r[3] = _mm256_permute2x128_si256(b, d, 0x31);
  }
  FHE_LANES_INLINE void load_leaves(Vec* rows, const std::uint64_t* from) {
    for (int part = 0; part < 16; part += 4) {
      for (int i = 0; i < 4; ++i) rows[part + i] = load(from + 16 * i + part);
      transpose(rows + part);
    }
  }
  FHE_LANES_INLINE void store_leaves(std::uint64_t* to, Vec* rows) {
    for (int part = 0; part < 16; part += 4) {
      transpose(rows + part);
      for (int i = 0; i < 4; ++i) store(to + 16 * i + part, rows[part + i]);
    }
  }
};

}  // namespace

}  // namespace fhe::cpu::goldilocks

#undef FHE_LANES_INLINE
