// SPDX-License-Identifier: Apache-2.0
// Bounds on the noise of results: what is refused, and what others may see. Not installed.
#pragma once

#include <string_view>

#include "libfhe/arith/integer.hpp"
#include "libfhe/scheme/she/parameters.hpp"

namespace fhe::she {

// Throws Error(noise_exceeded), naming what would have so much noise, above the limit of the group.
void require_noise(const Integer& noise, const Parameters& parameters, std::string_view what);

// The bound that a result of constants carries: 2^k times the bound of operands, or the limit, the
// least that is not below `noise`. Requires noise up to the limit.
[[nodiscard]] Integer public_bound(const Integer& noise, const Integer& operand,
                                   const Parameters& parameters);

}  // namespace fhe::she
