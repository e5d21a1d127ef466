// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/complement.hpp"

#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/reducers.hpp"

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
  int suitable = 0;
  for (int modulus = 2; modulus <= 300; ++modulus) {
    if (!ComplementReducer::suits(modulus)) continue;
    ++suitable;
    check_small_arguments(ComplementReducer(modulus), modulus);
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
    check_arguments_of_length(reducer, n, length, operands);
    for (int offset = -1; offset <= 1; ++offset) {
      const Integer multiple = operands.bits(length) * n + offset;
      CHECK(reducer.reduce(multiple, *backend) == oracle::mod(multiple, n));
    }
  }
}

}  // namespace fhe::test
