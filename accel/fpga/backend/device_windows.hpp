// SPDX-License-Identifier: Apache-2.0
// The leading bits of products with elements that the device generates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "accel/fpga/backend/device_session.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::fpga {

// Whether the device takes these windows, which are sound (is_window).
[[nodiscard]] bool takes_windows(const Device& device, const IntegerStream& stream,
                                 const WindowSpec& spec);

// c as the device takes it: modulo 2^M, at the top of its words, the highest of which comes first.
[[nodiscard]] std::vector<std::byte> number_of_windows(const Integer& c, const WindowSpec& spec);

// Backend::product_windows of what takes_windows accepts. The device gives bits of each product
// that leave all but few roundings certain; the others are decided here, by the whole product.
// Throws OutOfDeviceMemory, Error(stopped).
std::vector<std::uint32_t> device_product_windows(DeviceSession& session, const Integer& c,
                                                  const IntegerStream& stream,
                                                  const WindowSpec& spec,
                                                  OperationCounters& counters,
                                                  const Monitor& monitor);

}  // namespace fhe::fpga
