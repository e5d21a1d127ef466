// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/reductions.hpp"

#include <algorithm>
#include <atomic>

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::uint32_t words_to_bits(std::uint64_t words) {
  return static_cast<std::uint32_t>(words * kWordBits);
}

}  // namespace

Reduction::Reduction(Device& device, const Integer& modulus, std::uint32_t gamma) : id_(next_id()) {
  const auto phi = static_cast<std::uint32_t>(bit_length(modulus));
  const BarrettShape shape = barrett_shape(phi, gamma, device.info().equipment.reduction_bits());
  modulus_ = device.store(modulus, phi);
  reciprocal_ =
      device.store(barrett_reciprocal(shape, modulus), words_to_bits(shape.reciprocal_words()));
  scratch_ = device.allocate(shape.scratch_words() * kWordBytes);
  context_ = {.shape = shape,
              .modulus = modulus_.address(),
              .reciprocal = reciprocal_.address(),
              .scratch = scratch_.address(),
              .scratch_words = static_cast<std::uint32_t>(shape.scratch_words())};
}

Ticket ContextSlots::submit(Device& device, const Reduction& reduction,
                            const std::function<Command(std::uint16_t context)>& make) {
  const std::scoped_lock lock(mutex_);
  auto* slot = std::ranges::find(slots_, reduction.id(), &Slot::reduction);
  const bool loaded = slot != slots_.end();
  if (!loaded) slot = std::ranges::min_element(slots_, {}, &Slot::last_use);
  const auto number = static_cast<std::uint16_t>(slot - slots_.begin());
  if (!loaded) {
    slot->reduction = 0;
    device.set_context(number, reduction.context());
    slot->reduction = reduction.id();
  }
  slot->last_use = ++uses_;
  return device.submit(make(number));
}

}  // namespace fhe::fpga
