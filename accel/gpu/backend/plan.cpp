// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "accel/gpu/backend/arithmetic.hpp"

namespace fhe::gpu {

namespace {

constexpr unsigned kLeastDigitBits = 8;
constexpr unsigned kMostDigitBits = 31;
constexpr std::size_t kMostTerms = 0xffff;

// How many products of two digits have a sum below p.
std::size_t products_below_p(unsigned digit_bits) {
  const Word largest = (Word{1} << digit_bits) - 1;
  return static_cast<std::size_t>((kPrime - 1) / (largest * largest));
}

}  // namespace

std::optional<Plan> plan_for(std::size_t x_bits, std::size_t y_bits) {
  for (unsigned log_length = kLeastLogLength; log_length <= kMostLogLength; ++log_length) {
    for (unsigned bits = kLeastDigitBits; bits <= kMostDigitBits; ++bits) {
      Plan plan{.log_length = log_length, .digit_bits = bits, .terms = 1};
      if (plan.digits(x_bits) + plan.digits(y_bits) > plan.length()) continue;
      const std::size_t shorter = std::max<std::size_t>(plan.digits(std::min(x_bits, y_bits)), 1);
      plan.terms = std::min(products_below_p(bits) / shorter, kMostTerms);
      if (plan.terms > 0) return plan;
      break;  // larger digits have less room still
    }
  }
  return std::nullopt;
}

}  // namespace fhe::gpu
