// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/barrett.hpp"

#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/reducers.hpp"

namespace fhe::test {

namespace {

// A modulus of exactly `bits` bits, of one of the shapes that quotient estimates stumble over.
Integer some_modulus(Operands& operands, std::size_t bits) {
  switch (operands.between(0, 4)) {
    case 0:
      return power_of_two(bits - 1);
    case 1:
      return all_ones(bits);
    case 2:
      return power_of_two(bits - 1) + operands.bits(std::min<std::size_t>(bits - 1, 3));
    case 3:
      return power_of_two(bits - 1) + operands.runs(bits - 1);
    default:
      return operands.exactly(bits);
  }
}

}  // namespace

TEST_CASE("Barrett reduction modulo every small modulus", "[barrett]") {
  for (int modulus = 2; modulus <= 70; ++modulus) {
    check_small_arguments(BarrettReducer(modulus), modulus);
  }
}

TEST_CASE("Barrett reduction around multiples of the modulus", "[barrett]") {
  const auto backend = std::make_shared<const MinimalBackend>();
  Operands operands(11);
  for (int round = 0; round < 300; ++round) {
    const Integer n = some_modulus(operands, operands.between(2, 700));
    const BarrettReducer reducer(n);
    CHECK(reducer.reduce(n - 1, *backend) == n - 1);
    CHECK(reducer.reduce(n, *backend) == 0);
    CHECK(reducer.reduce(n * n, *backend) == 0);
    CHECK(reducer.reduce(n * n - 1, *backend) == n - 1);
    CHECK(reducer.reduce((n - 1) * (n - 1), *backend) == 1);
    const Integer quotient = operands.bits(operands.between(1, 1500));
    for (int offset = -2; offset <= 2; ++offset) {
      const Integer x = quotient * n + offset;
      CHECK(reducer.reduce(x, *backend) == oracle::mod(x, n));
    }
  }
}

TEST_CASE("Barrett reduction of arguments of every length", "[barrett]") {
  Operands operands(12);
  for (int round = 0; round < 400; ++round) {
    const std::size_t bits = operands.between(2, 500);
    const Integer n = some_modulus(operands, bits);
    const std::size_t length = operands.between(0, 10 * bits);
    check_arguments_of_length(BarrettReducer(n), n, length, operands);
  }
}

TEST_CASE("Barrett reduction a few bits above the modulus", "[barrett]") {
  const auto backend = std::make_shared<const MinimalBackend>();
  Operands operands(13);
  const Integer n = operands.exactly(5000);
  const BarrettReducer reducer(n);
  for (std::size_t excess = 0; excess <= 5010; excess += excess < 20 ? 1 : 499) {
    for (const Integer& x : {operands.exactly(5000 + excess), all_ones(5000 + excess)}) {
      CHECK(reducer.reduce(x, *backend) == oracle::mod(x, n));
    }
  }
}

TEST_CASE("the remainder may be written over the argument", "[barrett]") {
  const auto backend = std::make_shared<const MinimalBackend>();
  const BarrettReducer reducer(97);
  Integer x = 12345;
  x = reducer.reduce(x, *backend);
  CHECK(x == 12345 % 97);
}

}  // namespace fhe::test
