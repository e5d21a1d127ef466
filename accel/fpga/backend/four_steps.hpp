// SPDX-License-Identifier: Apache-2.0
// Long products by one transform through device memory, where that is faster than by blocks.
#pragma once

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

 private:
  [[nodiscard]] Command in_size(Device& device, const Command& command,
                                std::optional<unsigned> size);

  std::mutex mutex_;
  DeviceBuffer scratch_;
};

}  // namespace fhe::fpga
