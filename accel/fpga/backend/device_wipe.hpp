// SPDX-License-Identifier: Apache-2.0
// Removes secrets from device memory.
#pragma once

#include <cstdint>
#include <utility>

#include "accel/fpga/driver/device.hpp"

namespace fhe::fpga {

// When it goes out of scope, the device writes zeros over [address, address + bytes), both
// multiples of 64: over weights and the values computed from them. It must be declared after the
// buffer that it wipes. If the device fails, its memory is not wiped and nothing is thrown here;
// the next wait for a command throws.
class DeviceWipe {
 public:
  // Requires that the device outlives the object.
  DeviceWipe(Device& device, std::uint64_t address, std::uint64_t bytes)
      : device_(&device), address_(address), bytes_(bytes) {}
  DeviceWipe(Device& device, const DeviceBuffer& buffer)
      : DeviceWipe(device, buffer.address(), buffer.size()) {}
  ~DeviceWipe();
  DeviceWipe(DeviceWipe&& other) noexcept
      : device_(other.device_), address_(other.address_), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceWipe& operator=(DeviceWipe&& other) = delete;

 private:
  Device* device_;
  std::uint64_t address_;
  std::uint64_t bytes_;
};

}  // namespace fhe::fpga
