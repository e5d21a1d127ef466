// SPDX-License-Identifier: Apache-2.0
// Products on every kernel of the software engine, beside GMP and FLINT.
#pragma once

#include <string>

namespace fhe::bench {

// Measures products of two operands of the sizes of `engine`, those that the regular expression
// matches as "product_BITS", on one thread: by GMP, by FLINT where it is installed, and by `auto`
// with each kernel that this processor runs. Each is repeated for at least `min_seconds`. Prints
// a table of times and of how many times as fast as GMP they are. Throws
// Error(invalid_argument) when no size matches, and std::logic_error when two products differ.
void print_kernels(const std::string& filter, double min_seconds);

}  // namespace fhe::bench
