// SPDX-License-Identifier: Apache-2.0
// Eight residues at a time with AVX-512 IFMA: those of lanes_avx512.hpp, with 52-bit products. See
// lanes_portable.hpp for the operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "accel/cpu/goldilocks/lanes_avx512.hpp"

#define FHE_LANES_INLINE [[gnu::always_inline]] static inline

namespace fhe::cpu::goldilocks {

namespace {

struct IfmaLanes : Avx512Lanes {
  // w = its low 52 bits, all that a product reads of it, + 2^52 high.
  struct Factor {
    Vec w;
    Vec high;
  };
  static constexpr int kProductUnit = 52;

  FHE_LANES_INLINE Factor broadcast_factor(const std::uint64_t* from) {
    return {all(*from), all(*from >> kProductUnit)};
  }
  FHE_LANES_INLINE Factor load_factor(const std::uint64_t* from) {
    const Vec w = load(from);
    return {w, right<kProductUnit>(w)};
  }

  // With x = x0 + 2^52 x1: seven halves of the four products, summed up in the products.
  FHE_LANES_INLINE Product full_product(Vec x, Factor factor) {
    const Vec x_high = right<kProductUnit>(x);
    const Vec low = _mm512_madd52lo_epu64(zero(), x, factor.w);
    Vec middle = _mm512_madd52hi_epu64(zero(), x, factor.w);
    Vec high = _mm512_madd52hi_epu64(zero(), x, factor.high);
    middle = _mm512_madd52lo_epu64(middle, x, factor.high);
    high = _mm512_madd52lo_epu64(high, x_high, factor.high);
    middle = _mm512_madd52lo_epu64(middle, x_high, factor.w);
    high = _mm512_madd52hi_epu64(high, x_high, factor.w);
    return {low, middle, high};
  }
  FHE_LANES_INLINE Vec mul(Vec x, Factor factor) {
    return Avx512Lanes::mul(x, {factor.w, upper(factor.w)});
  }
};

}  // namespace

}  // namespace fhe::cpu::goldilocks

#undef FHE_LANES_INLINE
