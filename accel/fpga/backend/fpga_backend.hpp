// SPDX-License-Identifier: Apache-2.0
// The backend on the FPGA device, simulated or real.
#pragma once

#include "libfhe/arith/registry.hpp"

namespace fhe::fpga {

// "fpga:sim", "fpga:model", "fpga:socket=PATH", "fpga:/dev/xdma0", "fpga:/dev/litepcie0": see
// devices/open_transport.hpp.
BackendFactory factory();

}  // namespace fhe::fpga
