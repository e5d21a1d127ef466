// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/contract/words.hpp"
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

bool FourSteps::has_room(Device& device, std::uint64_t bytes) {
  return device.memory().largest_free() >= kShareOfFree * bytes;
}

Command FourSteps::in_size(Device& device, const Command& command, std::optional<unsigned> size) {
  if (!size) return command;
  const std::scoped_lock lock(mutex_);
  if (scratch_.size() == 0) {
    // Of the longest product: programs keep the address.
    const std::uint64_t bytes = four_step_scratch_bytes(kLongestFourSteps);
    if (!has_room(device, bytes)) return command;
    scratch_ = device.allocate(bytes);
  }
  return in_four_steps(command, *size, scratch_.address());
}

Command KeptTransforms::kept_for(const Command& reduction, const BarrettShape& shape,
                                 Device& device,
                                 const std::function<std::uint64_t(std::uint64_t bytes)>& room) {
  const auto size = four_steps_of(reduction);
  const std::uint64_t words = words_for_bits(reduction.source0.bits);
  if (!size || !takes_transforms(device.info().equipment, shape, words, *size)) return reduction;
  const bool is_first = !address_;
  if (is_first) {
    if (!FourSteps::has_room(device, transform_bytes(*size))) return reduction;
    address_ = room(transform_bytes(*size));
  }
  return with_transforms(reduction, is_first ? Transforms::left : Transforms::taken, *address_);
}

}  // namespace fhe::fpga
