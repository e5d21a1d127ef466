// SPDX-License-Identifier: Apache-2.0
// The words of neon.hpp, and those of reals in its lanes. See portable.hpp.
#pragma once

#include <cstdint>

#include <arm_neon.h>

#include "accel/cpu/simd/neon.hpp"

namespace fhe::cpu {

namespace {

struct Real {
  float64x2_t low;
  float64x2_t high;
};

[[gnu::always_inline]] inline Real to_real(Vec x) {
  return {vreinterpretq_f64_u64(x.low), vreinterpretq_f64_u64(x.high)};
}
[[gnu::always_inline]] inline Vec to_word(Real x) {
  return {vreinterpretq_u64_f64(x.low), vreinterpretq_u64_f64(x.high)};
}
[[gnu::always_inline]] inline Real load_reals(const std::uint64_t* from) {
  return to_real(load(from));
}
[[gnu::always_inline]] inline Real load_reals_unaligned(const std::uint64_t* from) {
  return to_real(load_unaligned(from));
}
[[gnu::always_inline]] inline void store_reals(std::uint64_t* to, Real x) {
  store(to, to_word(x));
}
[[gnu::always_inline]] inline Real all_reals(double x) {
  return {vdupq_n_f64(x), vdupq_n_f64(x)};
}

[[gnu::always_inline]] inline Real add(Real x, Real y) {
  return {vaddq_f64(x.low, y.low), vaddq_f64(x.high, y.high)};
}
[[gnu::always_inline]] inline Real sub(Real x, Real y) {
  return {vsubq_f64(x.low, y.low), vsubq_f64(x.high, y.high)};
}
[[gnu::always_inline]] inline Real times(Real x, Real y) {
  return {vmulq_f64(x.low, y.low), vmulq_f64(x.high, y.high)};
}
[[gnu::always_inline]] inline Real multiply_add(Real x, Real y, Real z) {
  return {vfmaq_f64(z.low, x.low, y.low), vfmaq_f64(z.high, x.high, y.high)};
}
[[gnu::always_inline]] inline Real sub_product(Real z, Real x, Real y) {
  return {vfmsq_f64(z.low, x.low, y.low), vfmsq_f64(z.high, x.high, y.high)};
}
[[gnu::always_inline]] inline Real multiply_sub(Real x, Real y, Real z) {
  return multiply_add(x, y, {vnegq_f64(z.low), vnegq_f64(z.high)});
}

[[gnu::always_inline]] inline bool all_within(Real x, Real bound) {
  return lanes_of({vcaleq_f64(x.low, bound.low), vcaleq_f64(x.high, bound.high)}) == 0xf;
}
[[gnu::always_inline]] inline bool all_whole(Real x) {
  return lanes_of({vceqq_f64(vrndnq_f64(x.low), x.low), vceqq_f64(vrndnq_f64(x.high), x.high)}) ==
         0xf;
}

}  // namespace

}  // namespace fhe::cpu
