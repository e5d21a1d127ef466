// SPDX-License-Identifier: Apache-2.0
// The words of avx2.hpp, and those of reals in its lanes. See portable.hpp.
#pragma once

#include <cstdint>

#include <immintrin.h>

#include "accel/cpu/simd/avx2.hpp"

namespace fhe::cpu {

namespace {

using Real = __m256d;

[[gnu::always_inline]] inline Real load_reals(const std::uint64_t* from) {
  return _mm256_load_pd(reinterpret_cast<const double*>(from));
}
[[gnu::always_inline]] inline Real load_reals_unaligned(const std::uint64_t* from) {
  return _mm256_loadu_pd(reinterpret_cast<const double*>(from));
}
[[gnu::always_inline]] inline void store_reals(std::uint64_t* to, Real x) {
  _mm256_store_pd(reinterpret_cast<double*>(to), x);
}
[[gnu::always_inline]] inline Real all_reals(double x) {
  return _mm256_set1_pd(x);
}
[[gnu::always_inline]] inline Real to_real(Vec x) {
  return _mm256_castsi256_pd(x);
}
[[gnu::always_inline]] inline Vec to_word(Real x) {
  return _mm256_castpd_si256(x);
}

[[gnu::always_inline]] inline Real add(Real x, Real y) {
  return _mm256_add_pd(x, y);
}
[[gnu::always_inline]] inline Real sub(Real x, Real y) {
  return _mm256_sub_pd(x, y);
}
[[gnu::always_inline]] inline Real times(Real x, Real y) {
  return _mm256_mul_pd(x, y);
}
[[gnu::always_inline]] inline Real multiply_add(Real x, Real y, Real z) {
  return _mm256_fmadd_pd(x, y, z);
}
[[gnu::always_inline]] inline Real multiply_sub(Real x, Real y, Real z) {
  return _mm256_fmsub_pd(x, y, z);
}
[[gnu::always_inline]] inline Real sub_product(Real z, Real x, Real y) {
  return _mm256_fnmadd_pd(x, y, z);
}

[[gnu::always_inline]] inline bool all_within(Real x, Real bound) {
  const Real size = to_real(bit_and(to_word(x), all(~std::uint64_t{0} >> 1)));
  return _mm256_movemask_pd(_mm256_cmp_pd(size, bound, _CMP_LE_OQ)) == 0xf;
}

[[gnu::always_inline]] inline bool all_whole(Real x) {
  return _mm256_movemask_pd(_mm256_cmp_pd(
             _mm256_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), x, _CMP_EQ_OQ)) ==
         0xf;
}

}  // namespace

}  // namespace fhe::cpu
