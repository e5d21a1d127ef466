// SPDX-License-Identifier: Apache-2.0
// Devices inside this process, by name. The library has none: a program that wants them links
// fhe_simulated_devices, which adds those of its build.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/transport/device_memory.hpp"

namespace fhe::fpga {

// A name, and what opens a new device that has this memory.
struct LocalDevice {
  std::string_view name;
  std::unique_ptr<LocalTransport> (*open)(DeviceMemory);
};

// Adds devices of new names. To be called before main() begins: nothing else orders it with the
// other functions.
void add_local_devices(std::span<const LocalDevice> devices);

[[nodiscard]] bool is_local_device(std::string_view name);

// Throws Error(unsupported), with how to get one, for the name of a simulated device of a kind that
// this program lacks.
void require_simulation(std::string_view name);

// All names, with commas between them.
[[nodiscard]] std::string local_names();

// Throws as require_simulation, and Error(unknown_name) for another name that no device has.
[[nodiscard]] std::unique_ptr<LocalTransport> open_local_transport(std::string_view name,
                                                                   DeviceMemory memory);

// The memory that `open_transport` gives them.
[[nodiscard]] DeviceMemory default_device_memory();

}  // namespace fhe::fpga
