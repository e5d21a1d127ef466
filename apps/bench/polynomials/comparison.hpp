// SPDX-License-Identifier: Apache-2.0
// `fhe-bench polynomials`: figure 6 of the Karatsuba paper (Foster, Lukowiak and Radziszowski,
// MIXDES 2019).
#pragma once

#include <string>

#include "libfhe/arith/backend.hpp"

namespace fhe::bench {

// Measures products of polynomials by FLINT's Karatsuba multiplication and by software over
// `backend`, for at least `min_seconds` each, and prints them beside the clocks of the hardware at
// 200 MHz, and where `device` is not empty beside those that the device of this name counts, memory
// included. Throws std::logic_error when two of them disagree.
void print_polynomial_products(const BackendPtr& backend, const std::string& device,
                               double min_seconds);

}  // namespace fhe::bench
