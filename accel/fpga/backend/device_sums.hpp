// SPDX-License-Identifier: Apache-2.0
// Weighted sums of streams on the device: the sum of an encryption, over the integers or reduced.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "accel/fpga/backend/device_session.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/arith/stream_kernels.hpp"
#include "libfhe/arith/weights.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::fpga {

// Bits that a sum of products may be longer than a product, and how many terms that allows.
inline constexpr std::uint32_t kDotMargin = 16;
inline constexpr std::size_t kMaxDotTerms = (std::size_t{1} << kDotMargin) - 1;

// Bits of the longest weight, at least 1.
template <class Weights>
[[nodiscard]] std::uint32_t weight_bits(const Weights& weights) {
  return static_cast<std::uint32_t>(std::max<std::size_t>(max_weight_bits(weights), 1));
}

// sum_i y_i w_i for each set of weights; with `reduction`, modulo its modulus. Requires
// are_weights, and with a reduction that it takes arguments as long as the sums. Sparse weights go
// through the sparse datapath where it has room for them (15 ones below bit 4096), as dense ones
// elsewhere. For the former, a device that can do it generates the elements of a public stream, and
// one with the throughput multiplier for dense ones of up to parameter::weighted_bits too. Other
// elements that are not kept there are copied to it piece by piece, once for each set. Throws
// Error(stopped).
std::vector<Integer> device_sums(DeviceSession& session, const IntegerStream& stream,
                                 std::span<const DenseWeights> batch, const Reduction* reduction,
                                 OperationCounters& counters, const Monitor& monitor);
std::vector<Integer> device_sums(DeviceSession& session, const IntegerStream& stream,
                                 std::span<const SparseWeights> batch, const Reduction* reduction,
                                 OperationCounters& counters, const Monitor& monitor);

// x modulo the modulus, for a number on the device that is no longer than the reduction's
// arguments. What it leaves there is wiped: x may be a sum that weights were in.
Integer device_residue(DeviceSession& session, const DeviceInteger& x, const Reduction& reduction,
                       OperationCounters& counters);

// sum of first * second over the terms modulo the modulus, whose residues they are. Requires that
// the reduction takes arguments as long as the sum, and 1 to kMaxDotTerms terms.
Integer device_dot(DeviceSession& session, std::span<const OperandPair> terms,
                   const Reduction& reduction, OperationCounters& counters);

// Submits the same, so that the sum is written to the address `result`, which has room for a
// residue. Nothing is wiped: for public operands.
Ticket submit_dot(DeviceSession& session, std::span<const OperandPair> terms,
                  const Reduction& reduction, std::uint64_t result, OperationCounters& counters);

}  // namespace fhe::fpga
