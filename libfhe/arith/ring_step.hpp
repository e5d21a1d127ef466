// SPDX-License-Identifier: Apache-2.0
// Straight-line programs over the elements of a ring, as data.
#pragma once

#include <cstdint>

#include "libfhe/export.hpp"

namespace fhe {

// The operations there are: a * b and a + b.
enum class RingOperationKind { multiply, add };

// values[inputs + i] = values[left] operation values[right]; left and right come before it.
struct FHE_EXPORT RingStep {
  RingOperationKind operation;  // addition or product
  std::uint32_t left;           // index of the first operand
  std::uint32_t right;          // index of the second operand, which may be the same

  // Whether both are the same.
  friend bool operator==(const RingStep&, const RingStep&) = default;
};

}  // namespace fhe
