// SPDX-License-Identifier: Apache-2.0
// The elements of a stream as the device generates them: nothing of them lies in its memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/fpga/contract/stream_record.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/driver/device.hpp"
#include "accel/fpga/driver/device_allocator.hpp"
#include "libfhe/arith/integer_stream.hpp"

namespace fhe::fpga {

// Whether the device generates the elements of this stream.
[[nodiscard]] bool generates(const Device& device, const IntegerStream& stream);

// Some successive elements of a stream.
class GeneratedElements {
 public:
  // Elements first, first + 1, ... Requires that the device generates them. Throws
  // OutOfDeviceMemory.
  GeneratedElements(Device& device, const IntegerStream& stream, std::size_t first,
                    std::size_t count);

  // Where commands on this stream look for such an element.
  [[nodiscard]] std::uint64_t address(std::size_t index) const {
    return element_address(index_of(index));
  }
  // Its number in the generator.
  [[nodiscard]] std::uint32_t index_of(std::size_t index) const {
    return first_index_ + static_cast<std::uint32_t>(first_ + index);
  }
  [[nodiscard]] std::size_t first() const { return first_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::uint32_t bits() const { return bits_; }
  // Of all of them together, in whole words.
  [[nodiscard]] std::uint64_t bytes() const { return count_ * padded_bytes(bits_); }
  // Address of the stream's record.
  [[nodiscard]] std::uint64_t record() const { return record_.address(); }

 private:
  std::size_t first_;
  std::size_t count_;
  std::uint32_t bits_;
  std::uint32_t first_index_;
  DeviceBuffer record_;
};

}  // namespace fhe::fpga
