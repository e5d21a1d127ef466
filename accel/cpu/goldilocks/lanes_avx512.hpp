// SPDX-License-Identifier: Apache-2.0
// Eight residues at a time with AVX-512 F, DQ, BW. See lanes_portable.hpp for the operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/goldilocks/prime.hpp"

#define FHE_LANES_INLINE [[gnu::always_inline]] static inline

namespace fhe::cpu::goldilocks {

namespace {

struct Avx512Lanes {
  using Vec = __m512i;
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
  static constexpr std::size_t kWidth = 8;

  FHE_LANES_INLINE Vec all(std::uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
  FHE_LANES_INLINE Vec load(const std::uint64_t* from) { return _mm512_load_si512(from); }
  FHE_LANES_INLINE void store(std::uint64_t* to, Vec x) { _mm512_store_si512(to, x); }
  FHE_LANES_INLINE Vec zero() { return _mm512_setzero_si512(); }

  // The upper half of every lane in both halves.
  FHE_LANES_INLINE Vec upper(Vec x) {
    return _mm512_castps_si512(_mm512_movehdup_ps(_mm512_castsi512_ps(x)));
  }
  FHE_LANES_INLINE Factor broadcast_factor(const std::uint64_t* from) {
    return {all(*from), _mm512_set1_epi32(static_cast<int>(*from >> 32))};
  }
  FHE_LANES_INLINE Factor load_factor(const std::uint64_t* from) {
    const Vec w = load(from);
    return {w, upper(w)};
  }

  // Whether x < end in every lane.
  FHE_LANES_INLINE bool all_below(Vec x, std::uint64_t end) {
    return _mm512_cmplt_epu64_mask(x, all(end)) == 0xff;
  }
  FHE_LANES_INLINE Vec sub(Vec a, Vec b) {
    verify("sub: b <= p", [&] { return all_below(b, kPrime + 1); });
    const __mmask8 borrow = _mm512_cmplt_epu64_mask(a, b);
    const Vec difference = _mm512_sub_epi64(a, b);
    return _mm512_mask_add_epi64(difference, borrow, difference, all(kPrime));
  }
  FHE_LANES_INLINE Vec add(Vec a, Vec b) { return sub(a, prime_minus(b)); }
  FHE_LANES_INLINE Vec add_lazy(Vec a, Vec b) {
    verify("add_lazy: b < p", [&] { return all_below(b, kPrime); });
    const Vec sum = _mm512_add_epi64(a, b);
    const __mmask8 carry = _mm512_cmplt_epu64_mask(sum, b);
    return _mm512_mask_add_epi64(sum, carry, sum, all(kEpsilon));
  }
  FHE_LANES_INLINE Vec canonical(Vec x) { return sub(x, all(kPrime)); }
  FHE_LANES_INLINE Vec plus(Vec a, Vec b) { return _mm512_add_epi64(a, b); }
  FHE_LANES_INLINE Vec minus(Vec a, Vec b) { return _mm512_sub_epi64(a, b); }
  FHE_LANES_INLINE Vec both(Vec a, Vec b) { return _mm512_and_si512(a, b); }
  FHE_LANES_INLINE Vec prime_minus(Vec x) {
    verify("prime_minus: x <= p", [&] { return all_below(x, kPrime + 1); });
    return _mm512_sub_epi64(all(kPrime), x);
  }
  template <int kShift>
  FHE_LANES_INLINE Vec left(Vec x) {
    return _mm512_slli_epi64(x, kShift);
  }
  template <int kShift>
  FHE_LANES_INLINE Vec right(Vec x) {
    return _mm512_srli_epi64(x, kShift);
  }
  template <int kShift>
  FHE_LANES_INLINE Vec right_signed(Vec x) {
    return _mm512_srai_epi64(x, kShift);
  }
  FHE_LANES_INLINE Vec low_times_epsilon(Vec x) { return _mm512_mul_epu32(x, all(kEpsilon)); }

  // Four 32-bit products.
  FHE_LANES_INLINE Product full_product(Vec x, Factor factor) {
    const Vec x_high = upper(x);
    const Vec low_low = _mm512_mul_epu32(x, factor.w);
    const Vec low_high = _mm512_mul_epu32(x, factor.high);
    const Vec high_low = _mm512_mul_epu32(x_high, factor.w);
    const Vec high_high = _mm512_mul_epu32(x_high, factor.high);
    const Vec middle = _mm512_add_epi64(low_high, _mm512_srli_epi64(low_low, 32));
    const Vec middle_low = _mm512_add_epi64(high_low, _mm512_and_si512(middle, all(kEpsilon)));
    const Vec high = plus(high_high, right<32>(middle));
    const Vec low = _mm512_mullo_epi64(x, factor.w);
    return {low, middle_low, high};
  }
  // x w = lo + 2^64 (h + 2^32 t) = lo + (2^32 - 1) h - t.
  FHE_LANES_INLINE Vec mul(Vec x, Factor factor) {
    const Product product = full_product(x, factor);
    const Vec high = plus(product.high, right<32>(product.middle));
    return sub(sub(product.low, right<32>(high)), prime_minus(low_times_epsilon(high)));
  }

  // Transposes 8 x 8 words.
  FHE_LANES_INLINE void transpose(Vec* r) {
    Vec t[8];
    for (int i = 0; i < 8; i += 2) {
      t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
      t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
    Vec u[8];
    for (int i = 0; i < 8; i += 4) {
      for (int k = 0; k < 2; ++k) {
        u[i + k] = _mm512_shuffle_i64x2(t[i + k], t[i + 2 + k], 0x88);
        u[i + 2 + k] = _mm512_shuffle_i64x2(t[i + k], t[i + 2 + k], 0xdd);
      }
    }
    for (int k = 0; k < 4; ++k) {
      r[k] = _mm512_shuffle_i64x2(u[k], u[4 + k], 0x88);
      r[4 + k] = _mm512_shuffle_i64x2(u[k], u[4 + k], 0xdd);
    }
  }
  FHE_LANES_INLINE void load_leaves(Vec* rows, const std::uint64_t* from) {
    for (int i = 0; i < 8; ++i) {
      rows[i] = load(from + 16 * i);
      rows[8 + i] = load(from + 16 * i + 8);
    }
    transpose(rows);
    transpose(rows + 8);
  }
  FHE_LANES_INLINE void store_leaves(std::uint64_t* to, Vec* rows) {
    transpose(rows);
    transpose(rows + 8);
    for (int i = 0; i < 8; ++i) {
      store(to + 16 * i, rows[i]);
      store(to + 16 * i + 8, rows[8 + i]);
    }
  }
};

}  // namespace

}  // namespace fhe::cpu::goldilocks

#undef FHE_LANES_INLINE
