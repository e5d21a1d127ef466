// SPDX-License-Identifier: Apache-2.0
// Who uses which part of device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace fhe::fpga {

class MemoryMap;

// A piece of device memory, freed with the object: at once, or when the commands that were under
// way have ended. Moved but not copied; an empty one has size 0. It may outlive its device.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  [[nodiscard]] std::uint64_t address() const { return address_; }  // a multiple of 64
  [[nodiscard]] std::uint64_t size() const { return size_; }        // bytes, a multiple of 64

 private:
  friend class DeviceAllocator;
  DeviceBuffer(std::shared_ptr<MemoryMap> map, std::uint64_t address, std::uint64_t size);

  std::shared_ptr<MemoryMap> map_;
  std::uint64_t address_ = 0;
  std::uint64_t size_ = 0;
};

// Commands given and commands ended so far; ended <= given.
struct CommandCounts {
  std::uint64_t given = 0;
  std::uint64_t ended = 0;
};

// First fit, with neighbours joined. Threads: all functions may be called at once.
class DeviceAllocator {
 public:
  // Allocates from the addresses [base, base + size), both multiples of 64. `counts` is called at
  // every allocation and every release, by any thread, and must not throw. A buffer that is
  // released while commands run is reused when all commands that had been submitted before have
  // ended.
  DeviceAllocator(std::uint64_t base, std::uint64_t size, std::function<CommandCounts()> counts);
  ~DeviceAllocator();
  DeviceAllocator(const DeviceAllocator&) = delete;
  DeviceAllocator& operator=(const DeviceAllocator&) = delete;

  // At least `bytes` bytes, up to the next multiple of 64; 0 gives an empty buffer. Throws
  // OutOfDeviceMemory.
  [[nodiscard]] DeviceBuffer allocate(std::uint64_t bytes);

  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] std::uint64_t free_bytes() const;
  // The largest buffer that can be had now.
  [[nodiscard]] std::uint64_t largest_free() const;
  // Bytes that will be free when the commands under way have ended.
  [[nodiscard]] std::uint64_t awaiting_bytes() const;

 private:
  std::shared_ptr<MemoryMap> map_;
};

}  // namespace fhe::fpga
