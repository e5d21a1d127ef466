// SPDX-License-Identifier: Apache-2.0
// Products of polynomials by definition, and operands for them.
#pragma once

#include <cstddef>

#include "accel/polynomials/polynomial_multiplier.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

inline Polynomial schoolbook(const Polynomial& a, const Polynomial& b, const Integer& modulus) {
  Polynomial product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  for (Integer& coefficient : product) coefficient %= modulus;
  return product;
}

// Coefficients of one kind: all zero, all q - 1, one q - 1 alone, zeros and q - 1 mixed; or, twice
// as often as all these, uniform.
inline Polynomial some_polynomial(Operands& operands, std::size_t size, const Integer& modulus) {
  const Integer largest = modulus - 1;
  Polynomial x(size);
  switch (operands.between(0, 11)) {
    case 0:
      break;
    case 1:
      for (Integer& coefficient : x) coefficient = largest;
      break;
    case 2:
      x[operands.between(0, size - 1)] = largest;
      break;
    case 3:
      for (Integer& coefficient : x) coefficient = operands.coin() ? largest : Integer(0);
      break;
    default:
      for (Integer& coefficient : x) coefficient = operands.below(modulus);
  }
  return x;
}

// Moduli of `bits` bits at the ends of their range, random ones, and shorter ones.
inline Integer some_modulus(Operands& operands, std::size_t bits) {
  switch (operands.between(0, 5)) {
    case 0:
      return power_of_two(bits - 1);
    case 1:
      return power_of_two(bits) - 1;
    case 2:
      return operands.exactly(operands.between(2, bits));
    default:
      return operands.exactly(bits);
  }
}

}  // namespace fhe::test
