// SPDX-License-Identifier: Apache-2.0
// Reciprocals by Newton's iteration on the engine's products: about four products of the divisor's
// length, where GMP's division takes some fifty.
#pragma once

#include <cstddef>

#include "accel/cpu/multiplier.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

// floor(2^bits / divisor), exactly. Requires divisor >= 2. The time depends on the divisor, which
// is not secret.
Integer reciprocal(const Integer& divisor, std::size_t bits, const Multiplier& multiplier);

}  // namespace fhe::cpu
