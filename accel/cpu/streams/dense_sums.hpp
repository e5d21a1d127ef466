// SPDX-License-Identifier: Apache-2.0
// sum_i x_i * w_i with weights of all bits, by column groups of eight adjacent chunks.
#pragma once

#include <span>
#include <vector>

#include "accel/cpu/streams/karatsuba.hpp"
#include "accel/cpu/streams/lane_stream.hpp"
#include "accel/cpu/streams/sum_sizes.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::cpu {

// Requires weights in [0, 2^kernel.chunk_bits), one for each element, at least one element and at
// least one set of weights.
std::vector<Integer> dense_lane_sums(const LaneStream& stream, std::span<const DenseWeights> batch,
                                     const KaratsubaKernel& kernel, const Backend& backend,
                                     const Monitor& monitor);

// The same over integers in memory.
std::vector<Integer> dense_view_sums(const ViewStream& stream, std::span<const DenseWeights> batch,
                                     const KaratsubaKernel& kernel, const Backend& backend,
                                     const Monitor& monitor);

// What the first of them takes, in nanoseconds of one thread on the machine of the README.
// `kernel` is one of the stream kernels for `instructions`.
double dense_nanoseconds(const KaratsubaKernel& kernel, const SumSizes& sizes, Kernel instructions);

}  // namespace fhe::cpu
