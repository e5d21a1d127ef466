// SPDX-License-Identifier: Apache-2.0
// The default, portable forms of the passes over key streams: weighted sums, bit-selected sums,
// product windows and residues. Not installed; they are the defaults of Backend, and what backends
// fall back to.
//
// All passes over columns work on slices of a few hundred limbs: the slice of one element is
// generated into cache, used for every weight or selection, and forgotten. Slices are independent
// and run in parallel; their sums overlap by the carry part and are added up at the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/weights.hpp"

namespace fhe {

// Backend::weighted_sums.
std::vector<Integer> stream_weighted_sums(const IntegerStream& elements,
                                          std::span<const DenseWeights> batch,
                                          const Backend& backend, const Monitor& monitor);
std::vector<Integer> stream_weighted_sums(const IntegerStream& elements,
                                          std::span<const SparseWeights> batch,
                                          const Backend& backend, const Monitor& monitor);

// Backend::selected_sums.
std::vector<Integer> stream_selected_sums(const IntegerStream& elements,
                                          const BlockSelection& selection, const Backend& backend,
                                          const Monitor& monitor);

// Backend::product_windows and Backend::residues.
std::vector<std::uint32_t> stream_product_windows(const Integer& c, const IntegerStream& stream,
                                                  const WindowSpec& spec, const Backend& backend,
                                                  const Monitor& monitor);
std::vector<Integer> stream_residues(const IntegerStream& stream, const Integer& modulus,
                                     const Backend& backend, const Monitor& monitor);

// Whether a pass over `count` elements takes them, as Backend states it: one weight or mask for
// each element, no weight negative, no bit beyond the width. The passes here throw for others.
[[nodiscard]] bool are_weights(const DenseWeights& weights, std::size_t count);
[[nodiscard]] bool are_weights(const SparseWeights& weights, std::size_t count);
[[nodiscard]] bool is_selection(const BlockSelection& selection, std::size_t count);
[[nodiscard]] bool is_window(const WindowSpec& spec, const Integer& c, const IntegerStream& stream);

// Bits of the longest weight; 0 where there is none.
[[nodiscard]] std::size_t max_weight_bits(const DenseWeights& weights);
[[nodiscard]] std::size_t max_weight_bits(const SparseWeights& weights);

// The integer that a sparse weight stands for.
Integer sparse_weight(const SparseWeights& weights, std::size_t index);

// The weight of an element, of either kind.
inline Integer weight_at(const DenseWeights& weights, std::size_t index) {
  return weights[index];
}
inline Integer weight_at(const SparseWeights& weights, std::size_t index) {
  return sparse_weight(weights, index);
}

}  // namespace fhe
