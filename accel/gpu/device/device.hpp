// SPDX-License-Identifier: Apache-2.0
// What the backend needs of a device: memory, and kernels that run in the order in which one thread
// of the host starts them. Threads of the host do not wait for each other.
//
// Errors: every function may throw Error(io) when the device is lost, and Error(out_of_memory).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "accel/gpu/device/kernel.hpp"

namespace fhe::gpu {

class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // One line: the card and its driver.
  [[nodiscard]] virtual std::string description() const = 0;
  // How much memory it has, in bytes.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;

  // The address of `words` words. To be given back by free, which overwrites them with zeros.
  [[nodiscard]] virtual Word allocate(std::size_t words) = 0;
  virtual void free(Word address, std::size_t words) noexcept = 0;

  // Copies words to the device, which are read before it returns, and from it.
  virtual void put(Word address, std::span<const Word> words) = 0;
  virtual void get(std::span<Word> words, Word address) = 0;

  // Starts `blocks` blocks of a kernel.
  virtual void launch(const Kernel& kernel, unsigned blocks, const LaunchArguments& arguments) = 0;

 protected:
  Device() = default;
};

using DevicePtr = std::shared_ptr<Device>;

// A card of NVIDIA, by its number from 0 on. Throws Error(unsupported) when there is none, or no
// driver or compiler for it.
[[nodiscard]] DevicePtr cuda_device(int number);

// The kernels on the processor of the host: the same code, for tests and for those who have no GPU.
[[nodiscard]] DevicePtr host_device();

}  // namespace fhe::gpu
