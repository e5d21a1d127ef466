// SPDX-License-Identifier: Apache-2.0
// The memory of a simulated device: a file in memory, so that another process can map it too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fhe::fpga {

// Pages take room when they are first written. Moved but not copied.
class DeviceMemory {
 public:
  // `bytes` zeros, seen by the device from address `base` on. Throws Error(io).
  DeviceMemory(std::uint64_t base, std::uint64_t bytes);

  // The memory of another process: takes over the descriptor `file`. Throws Error(io).
  DeviceMemory(int file, std::uint64_t base, std::uint64_t bytes);

  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) = delete;

  [[nodiscard]] std::uint64_t base() const { return base_; }
  [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }
  [[nodiscard]] int file() const { return file_; }  // to be passed on, not to be closed

  // The same memory, once more. Throws Error(io).
  [[nodiscard]] DeviceMemory share() const;

  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t size) const;

  // Requires contains(address, size).
  [[nodiscard]] std::span<std::byte> at(std::uint64_t address, std::uint64_t size) const;

  // What a transport does with a transfer. Throw Error(invalid_argument) when it is not made of
  // whole words of this memory.
  void write(std::uint64_t address, std::span<const std::byte> bytes) const;
  void read(std::uint64_t address, std::span<std::byte> bytes) const;

 private:
  std::span<std::byte> transfer(std::uint64_t address, std::uint64_t size) const;

  int file_;
  std::uint64_t base_;
  std::span<std::byte> bytes_;
};

}  // namespace fhe::fpga
