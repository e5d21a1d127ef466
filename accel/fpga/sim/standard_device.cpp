// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <utility>

#include <VFheDevice.h>

#include "accel/fpga/roms/roms.hpp"
#include "accel/fpga/sim/sim_transport.hpp"
#include "accel/fpga/sim/simulated_device.hpp"

// The words of the twiddle ROMs, see rtl/modular/twiddle_rom.sv.
extern "C" unsigned long long fhe_rom_word(const char* file, int word) {
  static const auto* const contents = new auto(fhe::fpga::rom_contents());  // used until the end
  return contents->at(file).at(static_cast<std::size_t>(word));
}

namespace fhe::fpga {

std::unique_ptr<LocalTransport> make_sim_transport(DeviceMemory memory,
                                                   const SimMemoryOptions& options) {
  return std::make_unique<SimulatedDevice<VFheDevice>>(std::move(memory), options);
}

}  // namespace fhe::fpga
