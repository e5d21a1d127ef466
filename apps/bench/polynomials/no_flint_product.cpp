// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/polynomials/flint_product.hpp"

namespace fhe::bench {

std::unique_ptr<FlintProduct> flint_product(const PolynomialMultiplier::Operands& /*operands*/,
                                            const Integer& /*modulus*/) {
  return nullptr;
}

}  // namespace fhe::bench
