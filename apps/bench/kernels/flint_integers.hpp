// SPDX-License-Identifier: Apache-2.0
// Products of integers by FLINT.
#pragma once

#include <functional>
#include <string>

#include "libfhe/arith/integer.hpp"

namespace fhe::bench {

// "FLINT 2.9.0"; empty in a build without FLINT.
std::string flint_version();

// Computes x * y by FLINT, with operands that are in its form already; empty without FLINT.
std::function<void()> flint_multiplication(const Integer& x, const Integer& y);

}  // namespace fhe::bench
