// SPDX-License-Identifier: Apache-2.0
// Transports by name.
#pragma once

#include <memory>
#include <string_view>

#include "accel/fpga/contract/transport.hpp"

namespace fhe::fpga {

// Opens the device that `name` stands for:
//
//   model            computed in this process with GMP
//   sim              the RTL, simulated in this process
//   model=throughput, sim=throughput
//                    the same for a device with the throughput multiplier
//   model=super_size, sim=super_size
//                    the same for a device whose only multiplier is the super-size one
//   model=super_size_128, sim=super_size_128
//                    the same with 128 points; the second where the build has FHE_RTL_LARGE
//   model=karatsuba, sim=karatsuba
//                    and for one that multiplies polynomials, and no long integers
//   socket=PATH      the device that `fhe-simd PATH` serves
//   /dev/xdma0       a card: the prefix of the XDMA driver's nodes, absolute; with ",reg=mmap"
//                    registers are mapped where the system can do that
//   /dev/litepcie0   a card behind the driver of LitePCIe: its node, absolute, named litepcie...
//
// Throws Error(unknown_name) for another name, Error(unsupported) for "model" and "sim" in a
// program that has no such device (local_devices.hpp), Error(io) or DeviceLost when nothing is
// there.
[[nodiscard]] std::unique_ptr<Transport> open_transport(std::string_view name);

}  // namespace fhe::fpga
