// SPDX-License-Identifier: Apache-2.0
// Functions of integers beside those of integer.hpp. Not installed.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>

#include "libfhe/arith/integer.hpp"

namespace fhe {

// Bits first, ..., first + count - 1 of |x|, as a number in [0, 2^count). Looks at these bits
// alone, however long x is.
Integer bits_at(const Integer& x, std::size_t first, std::size_t count);

// Whether no two values of these lists, taken together, are equal. Takes n log n comparisons,
// and copies nothing.
[[nodiscard]] bool all_different(std::initializer_list<std::span<const Integer>> lists);

}  // namespace fhe
