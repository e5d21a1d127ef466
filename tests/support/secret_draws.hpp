// SPDX-License-Identifier: Apache-2.0
// Whether secrets that were drawn look like what they should be drawn from.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

// Checks that about half of the values, of which there are at least 40, are as `is_one` says:
// within six deviations, which chance exceeds once in 10^9.
template <class IsOne>
void check_half(const std::vector<Integer>& values, const IsOne& is_one) {
  REQUIRE(values.size() >= 40);
  const auto total = static_cast<double>(values.size());
  const auto ones = static_cast<double>(std::ranges::count_if(values, is_one));
  CHECK(std::abs(ones - total / 2) <= 3 * std::sqrt(total));
}

inline void check_signs(const std::vector<Integer>& values) {
  check_half(values, [](const Integer& x) { return x > 0; });
}

// Checks that the values could be uniform in (-2^bits, 2^bits): none is longer, half of them are
// positive, and half are in the outer half of the range.
inline void check_halves(const std::vector<Integer>& values, std::size_t bits) {
  CAPTURE(values.size(), bits);
  CHECK(std::ranges::all_of(values, [&](const Integer& x) { return bit_length(x) <= bits; }));
  check_signs(values);
  check_half(values, [&](const Integer& x) { return bit_length(x) == bits; });
}

// The same, and that few are equal: n values out of N hit about n^2 / 2 N twice.
inline void check_fills(const std::vector<Integer>& values, std::size_t bits) {
  check_halves(values, bits);
  const std::set<Integer> distinct(values.begin(), values.end());
  const auto total = static_cast<double>(values.size());
  const double equal = total * total / std::exp2(static_cast<double>(bits) + 2);
  CHECK(total - static_cast<double>(distinct.size()) <= equal + 6 * std::sqrt(equal) + 4);
}

}  // namespace fhe::test
