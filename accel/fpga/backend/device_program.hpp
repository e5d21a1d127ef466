// SPDX-License-Identifier: Apache-2.0
// A list of commands that the device runs by itself, and the memory that they work in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/driver/device.hpp"
#include "accel/fpga/driver/device_allocator.hpp"

namespace fhe::fpga {

// The context that programs set; all others are for single commands.
inline constexpr std::uint16_t kProgramContext = parameter::contexts - 1;

// Commands are added once, in their order, and run any number of times. No command may write what
// was there before the program, nor read what a later one writes: then a run that was interrupted
// can be repeated. One thread at a time.
class DeviceProgram {
 public:
  // The device must outlive the program. Functions that take memory throw OutOfDeviceMemory.
  explicit DeviceProgram(Device& device) : device_(device) {}

  // Memory for a result of so many bits, the program's alone.
  [[nodiscard]] DeviceInteger room(std::uint64_t bits);
  // Commands that are added from now on may use the memory of this result, of `room`, again.
  void release(DeviceInteger place);

  // Memory that holds these bytes before every run.
  [[nodiscard]] std::uint64_t constant(std::span<const std::byte> bytes);

  void add(const Command& command) { commands_.push_back(command); }
  // Sets kProgramContext, whose memory must stay as long as the program.
  void set_context(const Context& context);

  // The command that runs the program. To be called once, when all of it was added.
  [[nodiscard]] Command finish();

  // All of them, in their order.
  [[nodiscard]] std::span<const Command> commands() const { return commands_; }

 private:
  Device& device_;
  std::vector<Command> commands_;
  std::vector<DeviceBuffer> memory_;
  std::map<std::uint64_t, std::uint64_t> sizes_;          // of results, in bytes, by address
  std::multimap<std::uint64_t, std::uint64_t> released_;  // addresses by size
};

}  // namespace fhe::fpga
