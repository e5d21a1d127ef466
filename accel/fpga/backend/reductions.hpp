// SPDX-License-Identifier: Apache-2.0
// Reductions modulo a number on the device, which keeps a few contexts for them at a time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>

#include "accel/fpga/backend/device_wipe.hpp"
#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/driver/device.hpp"
#include "accel/fpga/driver/device_allocator.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::fpga {

// A modulus in device memory, with its reciprocal and room for intermediate results.
class Reduction {
 public:
  // For arguments of at most `gamma` bits more than the modulus, which is at least 2.
  Reduction(Device& device, const Integer& modulus, std::uint32_t gamma);

  [[nodiscard]] const Context& context() const { return context_; }
  [[nodiscard]] std::uint32_t argument_bits() const {
    return context_.shape.phi + context_.shape.gamma;
  }

  // Wipes the intermediate results of what is reduced until then.
  [[nodiscard]] DeviceWipe wipe(Device& device) const { return {device, scratch_}; }

  // Different from that of every other object, earlier ones included.
  [[nodiscard]] std::uint64_t id() const { return id_; }

 private:
  std::uint64_t id_;
  DeviceBuffer modulus_;
  DeviceBuffer reciprocal_;
  DeviceBuffer scratch_;
  Context context_;
};

// Which reductions the device's contexts hold. Threads: all functions may be called at once.
class ContextSlots {
 public:
  // Submits the command that `make` gives for the number of a context that holds `reduction`, in
  // place of the one that was used longest ago where none does.
  Ticket submit(Device& device, const Reduction& reduction,
                const std::function<Command(std::uint16_t context)>& make);

 private:
  struct Slot {
    std::uint64_t reduction = 0;  // its id; 0 = none
    std::uint64_t last_use = 0;
  };

  std::mutex mutex_;
  std::array<Slot, parameter::contexts - 1> slots_{};  // the last one is that of programs
  std::uint64_t uses_ = 0;
};

}  // namespace fhe::fpga
