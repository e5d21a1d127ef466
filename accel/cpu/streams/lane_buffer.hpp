// SPDX-License-Identifier: Apache-2.0
// Memory for rows of eight lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libfhe/secret/vector.hpp"

namespace fhe::cpu {

inline constexpr std::size_t kRowBytes = 64;

// Zeroed words, aligned to a row. Wiped when freed: weights, and sums with secret weights, are kept
// in buffers.
using LaneBuffer = SecretVector<std::uint64_t, kRowBytes>;

}  // namespace fhe::cpu
