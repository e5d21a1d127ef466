// SPDX-License-Identifier: Apache-2.0
// Ciphertexts of the quadratic public key as knapsacks.
#pragma once

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// The coefficients of a ciphertext c = m + 2 r + 2 sum_ij b_ij x_i y_j modulo x0, and with them m,
// without any key: from as many leading bits of the products as make LLL find the coefficients
// (Lagarias, Odlyzko 1985). Finds no bit where there are too few. Throws Error(stopped).
[[nodiscard]] Finding ciphertext_knapsack(const QuadraticElements& key, const Integer& ciphertext,
                                          const Monitor& monitor = {});

}  // namespace fhe::attack
