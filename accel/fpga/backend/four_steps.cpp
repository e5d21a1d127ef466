// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/four_steps.hpp"

#include "accel/fpga/driver/engine_choice.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint64_t kShareOfFree = 4;

}  // namespace

Command FourSteps::faster(Device& device, const Command& product) {
  return in_size(device, product, choose_four_steps(device.info().equipment, product));
}

Command FourSteps::faster(Device& device, const Command& reduction, const BarrettShape& shape) {
  return in_size(device, reduction, choose_four_steps(device.info().equipment, shape));
}

Command FourSteps::in_size(Device& device, const Command& command, std::optional<unsigned> size) {
  if (!size) return command;
  const std::scoped_lock lock(mutex_);
  if (scratch_.size() == 0) {
    // Of the longest product: programs keep the address.
    const std::uint64_t bytes = four_step_scratch_bytes(kLongestFourSteps);
    if (device.memory().largest_free() < kShareOfFree * bytes) return command;
    scratch_ = device.allocate(bytes);
  }
  return in_four_steps(command, *size, scratch_.address());
}

}  // namespace fhe::fpga
