// `fhe-bench polynomials`: figure 6 of the Karatsuba paper (Foster, Lukowiak and Radziszowski,
// MIXDES 2019).
#pragma once

#include "libfhe/arith/backend.hpp"

namespace fhe::bench {

// Measures products of polynomials by FLINT's Karatsuba multiplication and by software over
// `backend`, for at least `min_seconds` each, and prints them beside the clocks of the hardware at
// 200 MHz. Throws std::logic_error when two of them disagree.
void print_polynomial_products(const BackendPtr& backend, double min_seconds);

}  // namespace fhe::bench
