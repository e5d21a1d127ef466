// SPDX-License-Identifier: Apache-2.0
// Ring operands in device memory.
#pragma once

#include <cstdint>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/driver/device.hpp"
#include "accel/fpga/driver/device_allocator.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::fpga {

// x in [0, 2^bits) as an operand that stays on the device; one without a place there when its
// memory is full.
[[nodiscard]] Operand prepare_on(Device& device, const Integer& x, std::uint32_t bits);

// An operand of `bits` bits on the device: where prepare_on has put it, or copied there for as long
// as this object lives. The operand must live as long.
class DeviceOperand {
 public:
  DeviceOperand(Device& device, const Operand& operand, std::uint32_t bits);

  [[nodiscard]] DeviceInteger place() const { return place_; }

 private:
  DeviceBuffer copy_;  // empty for a prepared one
  DeviceInteger place_;
};

}  // namespace fhe::fpga
