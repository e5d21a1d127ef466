// SPDX-License-Identifier: Apache-2.0
// Elements of a ring in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/driver/device_allocator.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::fpga {

// The numbers number_at(i), i < count, of at most `bits` bits, as they lie in device memory one
// after the other, each in whole words.
template <class NumberAt>
[[nodiscard]] std::vector<std::byte> listed_bytes(std::size_t count, std::uint64_t bits,
                                                  const NumberAt& number_at) {
  const std::uint64_t stride = padded_bytes(bits);
  std::vector<std::byte> bytes(count * stride);
  for (std::size_t i = 0; i < count; ++i)
    to_bytes(number_at(i), std::span(bytes).subspan(i * stride, stride));
  return bytes;
}

// Bytes on the device for a number of `bits` bits and a carry.
[[nodiscard]] std::uint64_t residue_bytes(std::uint32_t bits);

// So much room for an element that stays. Throws OutOfDeviceMemory also where less than a quarter
// of the memory would be left, which is for what works on elements.
[[nodiscard]] DeviceBuffer allocate_element(Device& device, std::uint32_t bits);

// An element of `bits` bits that is on the device, perhaps nowhere else.
class ElementOnDevice final : public Operand::Elsewhere {
 public:
  // `buffer` is of allocate_element for as many bits.
  ElementOnDevice(std::shared_ptr<DeviceSession> session, DeviceBuffer buffer, std::uint32_t bits)
      : session_(std::move(session)), buffer_(std::move(buffer)), bits_(bits) {}

  // Whether it is an operand of `bits` bits there: one of another ring may be shorter or longer.
  [[nodiscard]] bool is_on(const Device& device, std::uint32_t bits) const {
    return &session_->device == &device && bits_ == bits;
  }
  [[nodiscard]] DeviceInteger place() const { return {buffer_.address(), bits_}; }

 private:
  [[nodiscard]] Integer fetch() const override { return session_->device.load(buffer_, bits_); }

  std::shared_ptr<DeviceSession> session_;
  DeviceBuffer buffer_;
  std::uint32_t bits_;
};

// Whether `x` is on the device already, as an element of `bits` bits.
[[nodiscard]] bool is_on_device(const Operand& x, const Device& device, std::uint32_t bits);

// x, an element of `bits` bits, as one that is on the device too. Throws OutOfDeviceMemory.
[[nodiscard]] Operand put_on_device(const std::shared_ptr<DeviceSession>& session, const Operand& x,
                                    std::uint32_t bits);

// An operand of `bits` bits on the device: where it is, or copied there for as long as this object
// lives. The operand must live as long.
class DeviceOperand {
 public:
  DeviceOperand(Device& device, const Operand& operand, std::uint32_t bits);

  [[nodiscard]] DeviceInteger place() const { return place_; }

 private:
  DeviceBuffer copy_;  // empty for one that was there
  DeviceInteger place_;
};

}  // namespace fhe::fpga
