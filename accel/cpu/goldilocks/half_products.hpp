// SPDX-License-Identifier: Apache-2.0
// Products of residues by four 32-bit products, for vectors (see residues.hpp).
#pragma once

#include "accel/cpu/goldilocks/prime.hpp"
#include "accel/cpu/goldilocks/residues.hpp"

namespace fhe::cpu::goldilocks {

namespace {

// x w in units of 2^32, but for the upper half of `low`. Of w_high the lower halves count, which
// are the upper ones of w.
[[gnu::always_inline]] inline Product half_products(Vec x, Vec w, Vec w_high) {
  const Vec x_high = upper(x);
  const Vec low_low = multiply_halves(x, w);
  const Vec low_high = multiply_halves(x, w_high);
  const Vec high_low = multiply_halves(x_high, w);
  const Vec high_high = multiply_halves(x_high, w_high);
  const Vec middle = add(low_high, shift_right<32>(low_low));
  const Vec middle_low = add(high_low, bit_and(middle, all(kEpsilon)));
  return {low_low, middle_low, add(high_high, shift_right<32>(middle))};
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
