// How the elements of a stream are combined: weights for sums of products, masks for bit-selected
// sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe {

// One weight b_i >= 0 per stream element.
using DenseWeights = std::vector<Integer>;

// Weights of low Hamming weight: weight i is the sum of 2^p over the `ones_per_weight` distinct
// positions p stored at positions[i * ones_per_weight ...].
struct SparseWeights {
  std::size_t ones_per_weight = 0;
  SecretIndices positions;  // of an encryption, they reveal its bit
};

// Which elements go into which sums: element i belongs to block i / block_size and is added to
// sum (block, j) exactly where bit j of masks[i] is set, j < width.
struct BlockSelection {
  std::size_t block_size = 1;
  unsigned width = 1;  // at most 32
  std::vector<std::uint32_t> masks;
};

}  // namespace fhe
