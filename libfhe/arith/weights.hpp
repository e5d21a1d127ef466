// SPDX-License-Identifier: Apache-2.0
// How the elements of a stream are combined: weights for sums of products, masks for bit-selected
// sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe {

// One weight b_i >= 0 for each element of a stream.
using DenseWeights = std::vector<Integer>;

// Weights of low Hamming weight: weight i is the sum of 2^p over the `ones_per_weight` distinct
// positions p stored at positions[i * ones_per_weight ...].
struct FHE_EXPORT SparseWeights {
  std::size_t ones_per_weight = 0;  // the Hamming weight
  SecretIndices positions;          // those of an encryption reveal its bit
};

// Which elements go into which sums: element i belongs to block i / block_size and is added to sum
// (block, j) exactly when bit j of masks[i] is set, for j < width.
struct FHE_EXPORT BlockSelection {
  std::size_t block_size = 1;  // elements in a block, at least 1; the last block may have fewer
  unsigned width = 1;          // sums of each block, in [1, 32]
  std::vector<std::uint32_t> masks;  // one for each element

  // How many blocks there are, for any block_size >= 1.
  [[nodiscard]] std::size_t blocks() const {
    return masks.empty() ? 0 : (masks.size() - 1) / block_size + 1;
  }
};

}  // namespace fhe
