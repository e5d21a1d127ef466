// SPDX-License-Identifier: Apache-2.0
// What all rings of a device have in common: the elements of streams that are kept there from one
// sum to the next, scratch memory of long products, the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "accel/fpga/backend/reductions.hpp"
#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/transport.hpp"
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

// Long products by one transform through device memory, where that is faster than by blocks.

// The scratch memory of these products, which all commands may share, since a device runs one
// after the other. Threads: all functions may be called at once.
class FourSteps {
 public:
  // The product (`multiply` or `square`), in four steps where the device has them, they are faster
  // and their scratch memory is not more than a quarter of what is free; else as it is. The memory
  // is taken by the first one, and stays as long as the object.
  [[nodiscard]] Command faster(Device& device, const Command& product);
  // The same for the second product of a reduction (`reduce`) of this shape.
  [[nodiscard]] Command faster(Device& device, const Command& reduction, const BarrettShape& shape);

  // Whether so much memory is not more than a quarter of what is free.
  [[nodiscard]] static bool has_room(Device& device, std::uint64_t bytes);

 private:
  [[nodiscard]] Command in_size(Device& device, const Command& command,
                                std::optional<unsigned> size);

  std::mutex mutex_;
  DeviceBuffer scratch_;
};

// The transforms of one modulus and its reciprocal, in the reductions of a program.
class KeptTransforms {
 public:
  // Such a reduction (FourSteps::faster) with transforms where these make it faster: the first one
  // leaves them in memory that `room` gives, so many bytes of it, and the others take them. As it
  // is elsewhere, and where there is little memory.
  [[nodiscard]] Command kept_for(const Command& reduction, const BarrettShape& shape,
                                 Device& device,
                                 const std::function<std::uint64_t(std::uint64_t bytes)>& room);

 private:
  std::optional<std::uint64_t> address_;
};

// A device with what a backend keeps on it.
//
// Threads: all parts may be used by several threads at once.
struct DeviceSession {
  explicit DeviceSession(std::unique_ptr<Transport> transport, const DeviceOptions& options = {})
      : device(std::move(transport), options) {}

  // Waits for a command and counts its clocks.
  Completion wait(const Ticket& ticket, OperationCounters& counters) {
    const Completion completion = device.wait(ticket);
    counters.count_device_clocks(completion.cycles);
    return completion;
  }

  Device device;
  ContextSlots contexts;
  ElementCache elements;
  FourSteps four_steps;
};

}  // namespace fhe::fpga
