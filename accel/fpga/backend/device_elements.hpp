// SPDX-License-Identifier: Apache-2.0
// Elements of integer streams in device memory, kept there from one sum to the next where they can
// be told apart by their seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "accel/fpga/driver/device.hpp"
#include "accel/fpga/driver/device_allocator.hpp"
#include "libfhe/arith/counters.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::fpga {

// Some successive elements of a stream.
class DeviceElements {
 public:
  // Copies elements first, first + 1, ... to the device. Throws OutOfDeviceMemory, Error(stopped).
  DeviceElements(Device& device, const IntegerStream& stream, std::size_t first, std::size_t count,
                 OperationCounters& counters, const Monitor& monitor);

  [[nodiscard]] std::uint64_t address(std::size_t index) const {
    return buffer_.address() + index * stride_;
  }
  [[nodiscard]] std::size_t first() const { return first_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::uint32_t bits() const { return bits_; }

 private:
  std::size_t first_;
  std::size_t count_;
  std::uint32_t bits_;
  std::uint64_t stride_;  // bytes
  DeviceBuffer buffer_;
};

using DeviceElementsPtr = std::shared_ptr<const DeviceElements>;

// Bytes of device memory that one element of the stream takes.
[[nodiscard]] std::uint64_t element_bytes(const IntegerStream& stream);

// Whole streams that have a source, as long as they take half of the device's memory at most; those
// used longest ago make room. Threads: all functions may be called at once.
class ElementCache {
 public:
  // All elements of the stream, or nothing when it is not to be kept.
  [[nodiscard]] DeviceElementsPtr find_or_load(Device& device, const IntegerStream& stream,
                                               OperationCounters& counters, const Monitor& monitor);

 private:
  struct Entry {
    StreamSource source;
    std::size_t count;
    std::size_t bits;
    std::uint64_t bytes;
    DeviceElementsPtr elements;
  };

  void make_room(std::uint64_t bytes, std::uint64_t limit);

  std::mutex mutex_;
  std::list<Entry> entries_;  // the one used last comes first
};

}  // namespace fhe::fpga
