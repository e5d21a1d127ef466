// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/complement.hpp"

#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"

namespace fhe::test {

TEST_CASE("the complement of a modulus", "[complement]") {
  CHECK(complement_of(1) == 1);
  CHECK(complement_of(2) == 2);
  CHECK(complement_of(255) == 1);
  CHECK(complement_of(256) == 256);
  CHECK(complement_of(power_of_two(100) - 77) == 77);
  CHECK(ComplementReducer::suits(3));
  CHECK_FALSE(ComplementReducer::suits(2));
  CHECK(ComplementReducer::suits(power_of_two(100) - power_of_two(50) + 1));
  CHECK_FALSE(ComplementReducer::suits(power_of_two(100) - power_of_two(50)));
}

TEST_CASE("reduction by the complement modulo every small modulus that suits", "[complement]") {
  const auto backend = std::make_shared<const MinimalBackend>();
  int suitable = 0;
  for (int modulus = 2; modulus <= 300; ++modulus) {
    if (!ComplementReducer::suits(modulus)) continue;
    ++suitable;
    const ComplementReducer reducer(modulus);
    int wrong = 0;
    for (int x = -300; x <= 5000; ++x) {
      const int expected = ((x % modulus) + modulus) % modulus;
      if (reducer.reduce(x, *backend) != expected) ++wrong;
    }
    CAPTURE(modulus);
    CHECK(wrong == 0);
  }
  CHECK(suitable >= 20);
}

TEST_CASE("reduction by the complement of arguments of every length", "[complement]") {
  const auto backend = std::make_shared<const MinimalBackend>();
  Operands operands(21);
  for (int round = 0; round < 400; ++round) {
    const std::size_t bits = operands.between(2, 700);
    const std::size_t r_bits = operands.between(1, bits / 2);
    const Integer r = operands.coin() ? operands.exactly(r_bits) : all_ones(r_bits);
    const Integer n = power_of_two(bits) - r;
    const ComplementReducer reducer(n);
    CHECK(reducer.complement() == r);
    const std::size_t length = operands.between(0, 10 * bits);
    const Integer magnitude = operands.coin() ? operands.bits(length) : operands.runs(length);
    const Integer x = operands.with_random_sign(magnitude);
    CHECK(reducer.reduce(x, *backend) == oracle::mod(x, n));
    CHECK(reducer.reduce(power_of_two(length), *backend) == oracle::mod(power_of_two(length), n));
    CHECK(reducer.reduce(all_ones(length), *backend) == oracle::mod(all_ones(length), n));
    for (int offset = -1; offset <= 1; ++offset) {
      const Integer multiple = operands.bits(length) * n + offset;
      CHECK(reducer.reduce(multiple, *backend) == oracle::mod(multiple, n));
    }
  }
}

}  // namespace fhe::test
