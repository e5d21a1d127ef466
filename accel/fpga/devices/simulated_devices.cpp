// SPDX-License-Identifier: Apache-2.0
// Adds the devices that this build simulates, when a program starts that is linked with this
// source.
#include <array>
#include <memory>
#include <utility>

#include "accel/fpga/contract/equipment.hpp"
#include "accel/fpga/devices/local_devices.hpp"
#include "accel/fpga/model/model_transport.hpp"
#ifdef FHE_HARDWARE
#include "accel/fpga/sim/sim_transport.hpp"
#endif

namespace fhe::fpga {

namespace {

template <const Equipment& kEquipment>
std::unique_ptr<LocalTransport> open_model(DeviceMemory memory) {
  return std::make_unique<ModelTransport>(std::move(memory), kEquipment);
}

#ifdef FHE_HARDWARE
template <auto kMakeTransport>
std::unique_ptr<LocalTransport> open_simulation(DeviceMemory memory) {
  return kMakeTransport(std::move(memory), {});
}
#endif

constexpr std::array kDevices = {
    LocalDevice{"model", open_model<kStandardEquipment>},
    LocalDevice{"model=karatsuba", open_model<kKaratsubaEquipment>},
    LocalDevice{"model=super_size", open_model<kSuperSizeEquipment>},
    LocalDevice{"model=super_size_128", open_model<kSuperSize128Equipment>},
    LocalDevice{"model=throughput", open_model<kThroughputEquipment>},
#ifdef FHE_HARDWARE
    LocalDevice{"sim", open_simulation<make_sim_transport>},
    LocalDevice{"sim=karatsuba", open_simulation<make_karatsuba_sim_transport>},
    LocalDevice{"sim=super_size", open_simulation<make_super_size_sim_transport>},
#ifdef FHE_RTL_LARGE
    LocalDevice{"sim=super_size_128", open_simulation<make_super_size_128_sim_transport>},
#endif
    LocalDevice{"sim=throughput", open_simulation<make_throughput_sim_transport>},
#endif
};

[[maybe_unused]] const bool kAdded = (add_local_devices(kDevices), true);

}  // namespace

}  // namespace fhe::fpga
