// SPDX-License-Identifier: Apache-2.0
// Division by small numbers modulo x0. Not installed.
#pragma once

#include "libfhe/arith/integer.hpp"

namespace fhe {

// x / d modulo x0, for x in [0, x0) and a small d without a common factor with x0: (x + m x0) / d
// for the one m < d that leaves no remainder.
[[nodiscard]] Integer divided(Integer x, unsigned long d, const Integer& x0);

}  // namespace fhe
