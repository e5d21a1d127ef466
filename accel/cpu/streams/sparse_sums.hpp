// SPDX-License-Identifier: Apache-2.0
// sum_i x_i * w_i with weights of few digits that are not 0, by column groups of eight adjacent
// chunks: weights of low Hamming weight, and those of one digit.
#pragma once

#include <span>
#include <vector>

#include "accel/cpu/streams/lane_stream.hpp"
#include "accel/cpu/streams/sparse_kernel.hpp"
#include "accel/cpu/streams/sum_sizes.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::cpu {

// Whether a batch may be passed to lane_sparse_sums.
bool has_lane_sparse_sums(std::span<const SparseWeights> batch, std::size_t count);

// Requires has_lane_sparse_sums, at least one element and at least one set of weights.
std::vector<Integer> lane_sparse_sums(const LaneStream& stream,
                                      std::span<const SparseWeights> batch, const Backend& backend,
                                      const Monitor& monitor);

// Whether weights have one digit, and elements fill so many of the lanes that this is the fastest
// way to sum them up.
bool has_lane_digit_sums(const SumSizes& sizes, const SparseKernel& kernel);

// Requires has_lane_digit_sums and weights of at least 0, one for each element. The work does not
// depend on their values.
std::vector<Integer> lane_digit_sums(const LaneStream& stream, std::span<const DenseWeights> batch,
                                     const Backend& backend, const Monitor& monitor);

}  // namespace fhe::cpu
