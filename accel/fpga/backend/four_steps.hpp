// SPDX-License-Identifier: Apache-2.0
// Long products by one transform through device memory, where that is faster than by blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/driver/device.hpp"
#include "accel/fpga/driver/device_allocator.hpp"

namespace fhe::fpga {

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

}  // namespace fhe::fpga
