// SPDX-License-Identifier: Apache-2.0
// A range of the bits of an integer. Not installed.
#pragma once

#include <cstddef>

#include "libfhe/arith/integer.hpp"

namespace fhe {

// Bits first, ..., first + count - 1 of |x|, as a number in [0, 2^count). Looks at these bits
// alone, however long x is.
Integer bits_at(const Integer& x, std::size_t first, std::size_t count);

}  // namespace fhe
