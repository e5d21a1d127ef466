// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/devices/local_devices.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe::fpga {

namespace {

// Above what 32 bits address, so that both halves of addresses matter.
constexpr std::uint64_t kMemoryBase = std::uint64_t{4} << 30;
constexpr std::uint64_t kMemoryBytes = std::uint64_t{16} << 30;

// Made by whoever comes first: devices are added while the program starts, in any order.
std::vector<LocalDevice>& all_devices() {
  static auto* const devices = new std::vector<LocalDevice>;  // used until the end
  return *devices;
}

const LocalDevice* find_device(std::string_view name) {
  const auto found = std::ranges::find(all_devices(), name, &LocalDevice::name);
  return found == all_devices().end() ? nullptr : &*found;
}

// What is before the equipment: "model" of "model=super_size".
std::string_view kind_of(std::string_view name) {
  return name.substr(0, name.find('='));
}

}  // namespace

void add_local_devices(std::span<const LocalDevice> devices) {
  all_devices().insert(all_devices().end(), devices.begin(), devices.end());
}

bool is_local_device(std::string_view name) {
  return find_device(name) != nullptr;
}

void require_simulation(std::string_view name) {
  const std::string_view kind = kind_of(name);
  if (kind != "model" && kind != "sim") return;
  if (is_local_device(kind)) return;
  throw Error(
      ErrorCode::unsupported,
      fmt::format(
          "the device {0} is not simulated here: run `fhe-simd --device {0} PATH` and open the "
          "device socket=PATH, or link the CMake target fhe_simulated_devices of the sources of "
          "fhe{1}",
          name, kind == "sim" ? ", both of a build with FHE_HARDWARE, which needs Verilator" : ""));
}

std::string local_names() {
  std::string names;
  for (const LocalDevice& device : all_devices())
    names += (names.empty() ? "" : ", ") + std::string(device.name);
  return names;
}

std::unique_ptr<LocalTransport> open_local_transport(std::string_view name, DeviceMemory memory) {
  if (const LocalDevice* const device = find_device(name)) return device->open(std::move(memory));
  require_simulation(name);
  throw Error(
      ErrorCode::unknown_name,
      fmt::format("there is no device \"{}\" in this program; there are: {}", name, local_names()));
}

DeviceMemory default_device_memory() {
  return {kMemoryBase, kMemoryBytes};
}

}  // namespace fhe::fpga
