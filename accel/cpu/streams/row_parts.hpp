// SPDX-License-Identifier: Apache-2.0
// Rows of eight lanes as vectors, for source files with vector flags (see simd/portable.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/streams/kernels.hpp"

namespace fhe::cpu {

namespace {

// A row is so many vectors: part p holds the lanes from p * kWidth on. Passes go through all rows
// of one part after those of another. Vector r * kParts + p of memory is part p of row r.
constexpr std::size_t kParts = kLanes / kWidth;
static_assert(kParts * kWidth == kLanes);

}  // namespace

}  // namespace fhe::cpu
