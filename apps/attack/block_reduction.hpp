// SPDX-License-Identifier: Apache-2.0
// Reduction of rows by blocks (BKZ), for what LLL leaves too long.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/attack/relation_lattice.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// The largest block size that this laboratory reduces with.
inline constexpr std::size_t kLargestBlock = 40;

// Reduces linearly independent rows (u 2^shift | v) by BKZ (Schnorr, Euchner, FCT 1991) on their
// leading bits, and does to all of them, exactly, what that did: the results span the same lattice.
// Ends early at a row that is shorter than 2^enough. From a block size of 30 on the enumeration is
// pruned.
//
// Requires rows of about the same length, as LLL leaves them, and 2 <= block <= kLargestBlock. One
// thread at a time (NTL). Throws Error(stopped).
[[nodiscard]] std::vector<Relation> reduced_by_blocks(const std::vector<Relation>& rows,
                                                      std::size_t shift, std::size_t block,
                                                      double enough, const Monitor& monitor = {});

}  // namespace fhe::attack
