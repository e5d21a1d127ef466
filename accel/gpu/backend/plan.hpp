// SPDX-License-Identifier: Apache-2.0
// How long numbers are multiplied: the length of the transforms and the size of digits.
#pragma once

#include <cstddef>
#include <optional>

#include "accel/gpu/kernels/transform.hpp"

namespace fhe::gpu {

// Numbers x and y of d_x and d_y digits of b bits: the coefficients of their product are sums of
// at most min(d_x, d_y) products of digits, and must stay below p; there are d_x + d_y of them,
// which must not exceed the length n of the transforms.
struct Plan {
  unsigned log_length;  // n = 2^log_length
  unsigned digit_bits;  // b
  std::size_t terms;    // products that may be added up before they are transformed back

  [[nodiscard]] std::size_t length() const { return std::size_t{1} << log_length; }
  [[nodiscard]] std::size_t digits(std::size_t bits) const {
    return (bits + digit_bits - 1) / digit_bits;
  }
};

// The plan of the shortest transforms, and for that of the smallest digits; none for numbers that
// are too long.
[[nodiscard]] std::optional<Plan> plan_for(std::size_t x_bits, std::size_t y_bits);

// The longest numbers of equal length that there is a plan for.
inline constexpr std::size_t kMostOperandBits = std::size_t{21} << (kMostLogLength - 1);

}  // namespace fhe::gpu
