// SPDX-License-Identifier: Apache-2.0
// The slots of ciphertexts that hold several bits, and how bits move between them.
//
// A ciphertext of a scheme with l slots holds l bits, one in each slot. A gate or a recryption
// works on all slots at once, on each by itself; a permutation alone brings bits of different slots
// together. Schemes without slots have one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/export.hpp"

namespace fhe {

// The bits of the slots of one ciphertext, slot 0 first.
using SlotBits = std::vector<bool>;

// Throws Error(invalid_argument) unless there is one bit for each of so many slots.
FHE_EXPORT void require_slot_bits(const SlotBits& bits, std::size_t slots);

// The bits of each slot, from those of each ciphertext; or the other way. Requires rows of one
// length.
[[nodiscard]] FHE_EXPORT std::vector<SlotBits> transposed(const std::vector<SlotBits>& rows);

// A permutation of slots: slot j of the result has the bit of slot sources()[j]. A value.
class FHE_EXPORT SlotPermutation {
 public:
  // Throws Error(invalid_argument) unless each of 0, ..., n - 1 is there once, n >= 1.
  explicit SlotPermutation(std::vector<std::uint32_t> sources);

  // Every bit stays where it is.
  [[nodiscard]] static SlotPermutation identity(std::size_t slots);
  // Slot j has the bit of slot (j + distance) mod slots. Requires slots >= 1.
  [[nodiscard]] static SlotPermutation rotation(std::size_t slots, std::size_t distance);

  // Where the bit of each slot comes from, and how many slots there are.
  [[nodiscard]] std::span<const std::uint32_t> sources() const { return sources_; }
  [[nodiscard]] std::size_t slots() const { return sources_.size(); }

  // The permutation that undoes this one.
  [[nodiscard]] SlotPermutation inverse() const;
  // The bits permuted. Requires slots() bits.
  [[nodiscard]] SlotBits apply(const SlotBits& bits) const;

  friend bool operator==(const SlotPermutation&, const SlotPermutation&) = default;

 private:
  std::vector<std::uint32_t> sources_;
};

// The rotations from which a network makes every permutation of the first 2^k of the slots, where
// 2^k is the largest power of two that is not above their number: by 1, 2, 4, ..., 2^(k-1) to
// either side, at most 2 k of them. What a key holds for Evaluator::permute to do any of these.
[[nodiscard]] FHE_EXPORT std::vector<SlotPermutation> network_rotations(std::size_t slots);

}  // namespace fhe
