// SPDX-License-Identifier: Apache-2.0
// Carries of 1 through the lanes of a vector, for sources that include avx2.hpp, avx512.hpp or
// ifma.hpp.
#pragma once

namespace fhe::cpu {

namespace {

// The lanes that get a 1 from below: those above a lane that is `over`, and on through lanes that
// are `full`, which a 1 makes overflow; no lane is both. By the carries of one addition of masks.
// `carry` is what comes into the lowest lane, and becomes what leaves the highest one, 0 or 1.
[[gnu::always_inline]] inline Mask ripple(Mask over, Mask full, unsigned& carry) {
  const unsigned lanes = lanes_of(full);
  const unsigned ripples = (((lanes_of(over) << 1) | carry) + lanes) ^ lanes;
  carry = ripples >> kWidth;
  return mask_of(ripples);
}

}  // namespace

}  // namespace fhe::cpu
