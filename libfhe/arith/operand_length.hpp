// SPDX-License-Identifier: Apache-2.0
// The limit of Backend::multiply. Not installed: for the backends of this source tree.
#pragma once

#include <cstddef>
#include <string_view>

#include "libfhe/arith/integer.hpp"

namespace fhe {

// Throws Error(invalid_argument) if x or y has more than `max_bits` bits, which is what the backend
// of that name states in BackendInfo::max_operand_bits.
void require_operand_lengths(const Integer& x, const Integer& y, std::size_t max_bits,
                             std::string_view backend);

}  // namespace fhe
