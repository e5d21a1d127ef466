// SPDX-License-Identifier: Apache-2.0
// Whether integers of any length differ, without copying them. Not installed.
#pragma once

#include <initializer_list>
#include <span>

#include "libfhe/arith/integer.hpp"

namespace fhe {

// Whether no two values of these lists, taken together, are equal. Takes n log n comparisons.
[[nodiscard]] bool all_different(std::initializer_list<std::span<const Integer>> lists);

}  // namespace fhe
