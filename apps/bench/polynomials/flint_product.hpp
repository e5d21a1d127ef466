// SPDX-License-Identifier: Apache-2.0
// Products of polynomials by FLINT's Karatsuba multiplication, the paper's opponent.
#pragma once

#include <memory>

#include "accel/polynomials/polynomial_multiplier.hpp"

namespace fhe::bench {

// One product, of operands that are in FLINT's form already.
class FlintProduct {
 public:
  virtual ~FlintProduct() = default;
  virtual void run() = 0;
  [[nodiscard]] virtual Polynomial result() const = 0;  // of the last run
};

// Null in a build without FLINT.
std::unique_ptr<FlintProduct> flint_product(const PolynomialMultiplier::Operands& operands,
                                            const Integer& modulus);

}  // namespace fhe::bench
