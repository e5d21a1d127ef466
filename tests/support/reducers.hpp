// SPDX-License-Identifier: Apache-2.0
// What every way of reduction is held to. Reducers have reduce(x, backend).
#pragma once

#include <cstddef>
#include <memory>

#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"

namespace fhe::test {

// All arguments from -300 to 5000.
template <class Reducer>
void check_small_arguments(const Reducer& reducer, int modulus) {
  const auto backend = std::make_shared<const MinimalBackend>();
  int wrong = 0;
  for (int x = -300; x <= 5000; ++x) {
    const int expected = ((x % modulus) + modulus) % modulus;
    if (reducer.reduce(x, *backend) != expected) ++wrong;
  }
  CAPTURE(modulus);
  CHECK(wrong == 0);
}

// Arguments of up to `length` bits: random ones or runs of either sign, a power of two, all ones.
template <class Reducer>
void check_arguments_of_length(const Reducer& reducer, const Integer& n, std::size_t length,
                               Operands& operands) {
  const auto backend = std::make_shared<const MinimalBackend>();
  const Integer magnitude = operands.coin() ? operands.bits(length) : operands.runs(length);
  for (const Integer& x :
       {operands.with_random_sign(magnitude), power_of_two(length), all_ones(length)}) {
    CHECK(reducer.reduce(x, *backend) == oracle::mod(x, n));
  }
}

}  // namespace fhe::test
