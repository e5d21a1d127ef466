// SPDX-License-Identifier: Apache-2.0
// Ciphertexts of sparse encryption, whose weights have few ones.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// Of a lattice of the elements: weights b_i < 2^bits stand out there, and one ciphertext in 2^luck
// has no others.
struct SparseChance {
  double bits;
  double luck;
};

// bits = (gamma - noise_bits) / tau - d lg delta, d = tau + 1 and delta that of LLL; luck = ones
// tau lg(alpha / bits). As the estimator has it (security/attacks.hpp), where the noise of
// encryption is as long as it is in the published groups.
[[nodiscard]] SparseChance sparse_chance(const WeightedElements& key);

// Hopes for such a ciphertext among some: the lattice of the elements is reduced once, each
// ciphertext, less what the weights are on average, rounded to it, and weights with the right
// number of ones are known to be the right ones. Finds the bit of the first one that opens;
// `samples` says how many were tried. One thread at a time (NTL). Throws Error(stopped).
[[nodiscard]] Finding sparse_weights(const WeightedElements& key,
                                     std::span<const Integer> ciphertexts,
                                     const Monitor& monitor = {});

}  // namespace fhe::attack
