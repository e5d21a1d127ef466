// SPDX-License-Identifier: Apache-2.0
// The words of avx512.hpp, and those of reals in its lanes. See portable.hpp.
#pragma once

#include <cstdint>

#include <immintrin.h>

#include "accel/cpu/simd/avx512.hpp"

namespace fhe::cpu {

namespace {

using Real = __m512d;

[[gnu::always_inline]] inline Real load_reals(const std::uint64_t* from) {
  return _mm512_load_pd(reinterpret_cast<const double*>(from));
}
[[gnu::always_inline]] inline Real load_reals_unaligned(const std::uint64_t* from) {
  return _mm512_loadu_pd(reinterpret_cast<const double*>(from));
}
[[gnu::always_inline]] inline void store_reals(std::uint64_t* to, Real x) {
  _mm512_store_pd(reinterpret_cast<double*>(to), x);
}
[[gnu::always_inline]] inline Real all_reals(double x) {
  return _mm512_set1_pd(x);
}
[[gnu::always_inline]] inline Real to_real(Vec x) {
  return _mm512_castsi512_pd(x);
}
[[gnu::always_inline]] inline Vec to_word(Real x) {
  return _mm512_castpd_si512(x);
}

[[gnu::always_inline]] inline Real add(Real x, Real y) {
  return _mm512_add_pd(x, y);
}
[[gnu::always_inline]] inline Real sub(Real x, Real y) {
  return _mm512_sub_pd(x, y);
}
[[gnu::always_inline]] inline Real times(Real x, Real y) {
  return _mm512_mul_pd(x, y);
}
[[gnu::always_inline]] inline Real multiply_add(Real x, Real y, Real z) {
  return _mm512_fmadd_pd(x, y, z);
}
[[gnu::always_inline]] inline Real multiply_sub(Real x, Real y, Real z) {
  return _mm512_fmsub_pd(x, y, z);
}
[[gnu::always_inline]] inline Real sub_product(Real z, Real x, Real y) {
  return _mm512_fnmadd_pd(x, y, z);
}

[[gnu::always_inline]] inline bool all_within(Real x, Real bound) {
  return _mm512_cmp_pd_mask(_mm512_abs_pd(x), bound, _CMP_LE_OQ) == 0xff;
}

[[gnu::always_inline]] inline bool all_whole(Real x) {
  return _mm512_cmp_pd_mask(_mm512_roundscale_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
                            x, _CMP_EQ_OQ) == 0xff;
}

}  // namespace

}  // namespace fhe::cpu
