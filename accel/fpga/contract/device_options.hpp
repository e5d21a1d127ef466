// SPDX-License-Identifier: Apache-2.0
// How patient a driver is with its device.
#pragma once

#include <chrono>
#include <cstdint>

namespace fhe::fpga {

struct DeviceOptions {
  // How long the device may do nothing that can be seen (no completion, no access to its memory)
  // before it is reset.
  std::chrono::milliseconds deadline{10'000};
  // Device clocks that one command may take; 0 = any number.
  std::uint32_t watchdog_clocks = 0xffff'ffff;
  // How often a command or a transfer is tried again.
  unsigned repeats = 2;
};

}  // namespace fhe::fpga
