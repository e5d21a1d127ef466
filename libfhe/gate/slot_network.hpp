// SPDX-License-Identifier: Apache-2.0
// Any permutation of slots as a network of exchanges (Benes 1964). Not installed.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/scheme/slots.hpp"

namespace fhe {

// A layer: slots j and j + distance exchange their bits where exchanged[j], j being the lower of
// two.
struct SlotLayer {
  std::size_t distance;
  SlotBits exchanged;  // one entry for each slot; of the upper slots 0
};

// Layers that make the permutation one after the other: with n = 2^k the largest power of two that
// is not above the number of slots, of distances n/2, ..., 2, 1, 2, ..., n/2, without those that
// exchange nothing. Requires that it moves the first n slots only.
//
// The first layer and the last one sort the slots of a block of 2h so that each half of it is
// permuted by itself in between: of two slots at a distance of h one goes through the lower half
// and the other through the upper, before as after. Where the bits of a pair come from therefore
// decides about the next pair, round and round.
[[nodiscard]] std::vector<SlotLayer> slot_network(const SlotPermutation& permutation);

// Whether a network makes this permutation: it moves the first n slots only.
[[nodiscard]] bool has_slot_network(const SlotPermutation& permutation);

}  // namespace fhe
