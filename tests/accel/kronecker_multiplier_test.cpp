// SPDX-License-Identifier: Apache-2.0
// The software multiplier of polynomials against the definition, over two backends.
#include "accel/polynomials/polynomial_multiplier.hpp"
#include "libfhe/arith/registry.hpp"
#include "tests/accel/polynomials/schoolbook.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/operands.hpp"

using fhe::Error;
using fhe::ErrorCode;
using fhe::Integer;
using fhe::kronecker_multiplier;
using fhe::open_backend;
using fhe::Polynomial;
using fhe::PolynomialMultiplier;
using fhe::power_of_two;
using fhe::test::HasCode;
using fhe::test::Operands;
using fhe::test::schoolbook;
using fhe::test::some_polynomial;

namespace {

constexpr const char* kBackends[] = {"auto", "ntl"};

std::vector<Integer> moduli(Operands& operands) {
  std::vector<Integer> result{2, 3, 255, 256, 257};
  for (const std::size_t bits : {63U, 64U, 65U, 128U, 192U}) {
    result.push_back(power_of_two(bits - 1));
    result.push_back(power_of_two(bits) - 1);
    result.push_back(operands.exactly(bits));
  }
  return result;
}

}  // namespace

TEST_CASE("software products of polynomials equal the definition", "[karatsuba]") {
  Operands operands(1971);
  for (const char* backend : kBackends) {
    for (const Integer& modulus : moduli(operands)) {
      const auto multiplier = kronecker_multiplier(modulus, open_backend(backend));
      for (const std::size_t size : {1U, 2U, 7U, 32U, 64U}) {
        const Polynomial a = some_polynomial(operands, size, modulus);
        const Polynomial b = some_polynomial(operands, operands.between(1, 40), modulus);
        CAPTURE(backend, modulus, size, b.size());
        CHECK(multiplier->multiply(a, b) == schoolbook(a, b, modulus));
        CHECK(multiplier->multiply(a, a) == schoolbook(a, a, modulus));
      }
    }
  }
}

TEST_CASE("all products of polynomials modulo 3 of up to 3 coefficients", "[karatsuba]") {
  const auto multiplier = kronecker_multiplier(3, open_backend());
  std::vector<Polynomial> all;
  for (unsigned long value = 0; value < 27; ++value) {
    all.push_back({value % 3});
    all.push_back({value % 3, value / 3 % 3});
    all.push_back({value % 3, value / 3 % 3, value / 9});
  }
  for (const Polynomial& a : all) {
    for (const Polynomial& b : all) REQUIRE(multiplier->multiply(a, b) == schoolbook(a, b, 3));
  }
}

TEST_CASE("a batch of products is the list of its products", "[karatsuba]") {
  Operands operands(29);
  const Integer modulus = operands.exactly(128);
  const auto multiplier = kronecker_multiplier(modulus, open_backend());
  std::vector<PolynomialMultiplier::Operands> batch(20);
  for (auto& [a, b] : batch) {
    a = some_polynomial(operands, operands.between(1, 30), modulus);
    b = some_polynomial(operands, operands.between(1, 30), modulus);
  }
  const std::vector<Polynomial> products = multiplier->multiply_all(batch);
  REQUIRE(products.size() == batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    CHECK(products[i] == multiplier->multiply(batch[i].a, batch[i].b));
  }
  CHECK(multiplier->multiply_all({}).empty());
}

TEST_CASE("polynomials and moduli that make no sense are refused", "[karatsuba]") {
  const HasCode invalid(ErrorCode::invalid_argument);
  for (const int modulus : {1, 0, -7}) {
    CHECK_THROWS_MATCHES(kronecker_multiplier(modulus, open_backend()), Error, invalid);
  }
  const auto multiplier = kronecker_multiplier(10, open_backend());
  const Polynomial good{1, 2, 9};
  CHECK_THROWS_MATCHES(multiplier->multiply({}, good), Error, invalid);
  CHECK_THROWS_MATCHES(multiplier->multiply(good, {}), Error, invalid);
  CHECK_THROWS_MATCHES(multiplier->multiply({1, 10}, good), Error,
                       HasCode(ErrorCode::invalid_argument, "coefficient 1"));
  CHECK_THROWS_MATCHES(multiplier->multiply(good, {-1}), Error,
                       HasCode(ErrorCode::invalid_argument, "coefficient 0"));
  const std::vector<PolynomialMultiplier::Operands> batch{{good, good}, {good, {}}};
  CHECK_THROWS_MATCHES(multiplier->multiply_all(batch), Error, invalid);
}
