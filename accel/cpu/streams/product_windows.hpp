// SPDX-License-Identifier: Apache-2.0
// The leading bits of c * y_i mod 2^M for all elements of a stream (CNT 2012, ePrint 2011/440), in
// time linear in their length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "accel/cpu/streams/lane_stream.hpp"
#include "libfhe/arith/backend.hpp"

namespace fhe::cpu {

// Whether the estimate by leading digits decides nearly all windows. Otherwise the default
// kernel is the faster one.
bool has_lane_windows(const WindowSpec& spec, const WindowKernel& kernel);

// Backend::product_windows_all: the elements are generated once for every kMostNumbers numbers.
// Requires has_lane_windows for its kernels, and is_window(spec, c, elements) for all c of the
// batch. `elements` is the stream that `lanes` opened.
std::vector<std::vector<std::uint32_t>> lane_product_windows(
    std::span<const Integer> batch, const IntegerStream& elements, const LaneStream& lanes,
    const WindowSpec& spec, const Backend& backend, const Monitor& monitor);

}  // namespace fhe::cpu
