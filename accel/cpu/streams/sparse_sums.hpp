// SPDX-License-Identifier: Apache-2.0
// sum_i x_i * w_i with weights of low Hamming weight, by column groups of eight adjacent chunks.
#pragma once

#include <span>
#include <vector>

#include "accel/cpu/streams/lane_stream.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::cpu {

// Whether a batch may be passed to lane_sparse_sums.
bool has_lane_sparse_sums(std::span<const SparseWeights> batch, std::size_t count);

// Requires has_lane_sparse_sums, at least one element and at least one set of weights.
std::vector<Integer> lane_sparse_sums(const LaneStream& stream,
                                      std::span<const SparseWeights> batch, const Backend& backend,
                                      const Monitor& monitor);

}  // namespace fhe::cpu
