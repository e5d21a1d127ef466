// SPDX-License-Identifier: Apache-2.0
// Bit-selected sums of integers in memory, a few limbs of all of them at a time.
//
// The lower and the upper halves of limbs are added up by themselves in 64-bit lanes, so that 2^32
// integers can be added without carries.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fhe::cpu {

// Sums that are made together: their halves stay in registers.
inline constexpr std::size_t kViewSums = 5;

// Limbs are summed in multiples of these.
inline constexpr std::size_t kViewTileLimbs = 16;

// An integer, and to which of the sums it is added: mask 0xff or 0 for each.
struct ViewElement {
  const std::uint64_t* words;
  std::size_t size;  // limbs
  std::uint8_t masks[kViewSums];
};

struct ViewKernel {
  // Limbs [first, first + count) of the sums: words[j] of sum j is where its limb `first` goes, or
  // null where it is not wanted; carries[j] gets what they carry into limb first + count. Requires
  // a multiple of kViewTileLimbs as count and fewer than 2^32 elements.
  void (*add_elements)(const ViewElement* elements, std::size_t element_count, std::size_t first,
                       std::size_t count, std::uint64_t* const* words, std::uint64_t* carries);
};

}  // namespace fhe::cpu
