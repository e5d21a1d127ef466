// SPDX-License-Identifier: Apache-2.0
// A device with what a backend keeps on it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "accel/fpga/backend/device_elements.hpp"
#include "accel/fpga/backend/four_steps.hpp"
#include "accel/fpga/backend/reductions.hpp"
#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/driver/device.hpp"
#include "libfhe/arith/counters.hpp"

namespace fhe::fpga {

// Threads: all parts may be used by several threads at once.
struct DeviceSession {
  explicit DeviceSession(std::unique_ptr<Transport> transport, const DeviceOptions& options = {})
      : device(std::move(transport), options) {}

  // Waits for a command and counts its clocks.
  Completion wait(const Ticket& ticket, OperationCounters& counters) {
    const Completion completion = device.wait(ticket);
    counters.count_device_clocks(completion.cycles);
    return completion;
  }

  Device device;
  ContextSlots contexts;
  ElementCache elements;
  FourSteps four_steps;
};

}  // namespace fhe::fpga
