// SPDX-License-Identifier: Apache-2.0
// sum_i x_i * w_i with weights of all bits, for several sets of weights at once, in the transform
// domain: elements are transformed once for all sets, and every further set costs only products
// point by point.
#pragma once

#include <span>
#include <vector>

#include "accel/cpu/streams/lane_stream.hpp"
#include "accel/cpu/streams/spectral_plan.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/weights.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::cpu {

// Requires a plan for the sizes of the stream and the batch, weights >= 0 of at most
// plan.weight_rows words, one for each element, at least one element and one set of weights.
std::vector<Integer> spectral_lane_sums(const LaneStream& stream,
                                        std::span<const DenseWeights> batch,
                                        const SpectralPlan& plan, const Backend& backend,
                                        const Monitor& monitor);

}  // namespace fhe::cpu
