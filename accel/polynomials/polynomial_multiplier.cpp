// SPDX-License-Identifier: Apache-2.0
#include "accel/polynomials/polynomial_multiplier.hpp"

#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe {

PolynomialMultiplier::PolynomialMultiplier(Integer modulus) : modulus_(std::move(modulus)) {
  if (modulus_ < 2) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a modulus of polynomials is at least 2, not {}", modulus_.get_str()));
  }
}

Polynomial PolynomialMultiplier::multiply(const Polynomial& a, const Polynomial& b) const {
  check(a);
  check(b);
  return product(a, b);
}

std::vector<Polynomial> PolynomialMultiplier::multiply_all(std::span<const Operands> batch) const {
  for (const Operands& operands : batch) {
    check(operands.a);
    check(operands.b);
  }
  return products(batch);
}

std::vector<Polynomial> PolynomialMultiplier::products(std::span<const Operands> batch) const {
  std::vector<Polynomial> results;
  results.reserve(batch.size());
  for (const Operands& operands : batch) results.push_back(product(operands.a, operands.b));
  return results;
}

void PolynomialMultiplier::check(const Polynomial& x) const {
  if (x.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "a polynomial without coefficients has no product; give [0] for zero");
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] < 0 || x[i] >= modulus_) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("coefficient {} is not in [0, modulus); reduce it first", i));
    }
  }
}

}  // namespace fhe
