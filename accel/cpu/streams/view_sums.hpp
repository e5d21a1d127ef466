// SPDX-License-Identifier: Apache-2.0
// Bit-selected sums of integers that are in memory.
#pragma once

#include <vector>

#include "accel/cpu/streams/view_kernel.hpp"
#include "libfhe/arith/backend.hpp"

namespace fhe::cpu {

// Backend::selected_sums. Requires is_selection and at least one element.
std::vector<Integer> view_selected_sums(const ViewStream& stream, const BlockSelection& selection,
                                        const ViewKernel& kernel, const Backend& backend,
                                        const Monitor& monitor);

}  // namespace fhe::cpu
