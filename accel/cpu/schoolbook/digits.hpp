// SPDX-License-Identifier: Apache-2.0
// The digits of 52 bits that the vector kernel of this room multiplies by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "accel/cpu/simd/digit.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

// Digits of a number of so many limbs.
constexpr std::size_t digits_for(std::size_t limbs) {
  return (limbs * kLimbBits + kDigitBits - 1) / kDigitBits;
}

// The digits of x, low to high, without leading zeros but for a last one: they are written into
// `digits`, which has room for digits_for(x.size()). Requires x.size() >= 1.
inline std::span<const std::uint64_t> cut_into_digits(std::span<const Limb> x,
                                                      std::span<std::uint64_t> digits) {
  std::size_t count = digits_for(x.size());
  for (std::size_t d = 0; d < count; ++d) {
    const std::size_t limb = d * kDigitBits / kLimbBits;
    const std::size_t bit = d * kDigitBits % kLimbBits;
    Limb bits = x[limb] >> bit;
    if (bit > kLimbBits - kDigitBits && limb + 1 < x.size())
      bits |= x[limb + 1] << (kLimbBits - bit);
    digits[d] = bits & kDigitMask;
  }
  while (count > 1 && digits[count - 1] == 0) --count;
  return digits.first(count);
}

}  // namespace fhe::cpu
