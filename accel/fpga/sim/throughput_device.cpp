// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include <VThroughputDevice.h>

#include "accel/fpga/sim/sim_transport.hpp"
#include "accel/fpga/sim/simulated_device.hpp"

namespace fhe::fpga {

std::unique_ptr<LocalTransport> make_throughput_sim_transport(DeviceMemory memory,
                                                              const SimMemoryOptions& options) {
  return std::make_unique<SimulatedDevice<VThroughputDevice>>(std::move(memory), options);
}

}  // namespace fhe::fpga
