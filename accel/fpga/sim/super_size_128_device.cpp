// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include <VSuperSize128Device.h>

#include "accel/fpga/sim/sim_transport.hpp"
#include "accel/fpga/sim/simulated_device.hpp"

namespace fhe::fpga {

std::unique_ptr<LocalTransport> make_super_size_128_sim_transport(DeviceMemory memory,
                                                                  const SimMemoryOptions& options) {
  return std::make_unique<SimulatedDevice<VSuperSize128Device>>(std::move(memory), options);
}

}  // namespace fhe::fpga
