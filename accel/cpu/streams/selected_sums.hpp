// SPDX-License-Identifier: Apache-2.0
// Bit-selected sums of a key stream, block by block, over column groups of eight adjacent chunks.
#pragma once

#include <vector>

#include "accel/cpu/streams/lane_stream.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::cpu {

// The block sums of Ring::selected_sums over the integers, before corrections and reduction.
// Requires is_selection and at least one element.
std::vector<Integer> lane_selected_sums(const LaneStream& stream, const BlockSelection& selection,
                                        const Backend& backend, const Monitor& monitor);

}  // namespace fhe::cpu
