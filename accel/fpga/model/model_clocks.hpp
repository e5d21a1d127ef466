// SPDX-License-Identifier: Apache-2.0
// How many clocks the device takes, by the formulas under "Clocks of the device" in
// rtl/device/README.md, for a memory that answers one request a clock, each after 24 clocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/equipment.hpp"

namespace fhe::fpga {

// The work of one command, by what the device is busy with.
struct ModelWork {
  std::uint64_t control = 0;     // clocks between operations: checks, lists, starts
  std::uint64_t multiply = 0;    // clocks of operations of the product unit
  std::uint64_t sparse = 0;      // of the sparse unit
  std::uint64_t accumulate = 0;  // of the sum unit
  std::uint64_t reduce = 0;      // of all these, clocks that are spent in reductions
  std::uint64_t words_read = 0;
  std::uint64_t words_written = 0;

  [[nodiscard]] std::uint64_t clocks() const { return control + multiply + sparse + accumulate; }
  ModelWork& operator+=(const ModelWork& other);
};

// On a device with this equipment. `context` is that of a command which reduces, else not looked
// at. Requires a command that passes the device's checks. What depends on the operands is taken as
// it is most often: the last subtraction of a reduction is not needed, that of `csub` is.
[[nodiscard]] ModelWork model_work(const Command& command, const Context& context,
                                   const Equipment& equipment = kStandardEquipment);

// Of a program, whose next descriptor is read while a command runs: clocks from the end of a
// command to the fetch of the next one, and from one fetch to the next, at least.
inline constexpr std::uint64_t kNextCommandClocks = 2;
inline constexpr std::uint64_t kFetchClocks = 27;

// When the next command of a program is fetched, from when the last one ended and was fetched.
[[nodiscard]] constexpr std::uint64_t next_fetch(std::uint64_t ended, std::uint64_t fetched) {
  return std::max(ended + kNextCommandClocks, fetched + kFetchClocks);
}

// Clocks of a program of these commands, from the fetch of `run` to its completion; `context` is
// that of all which reduce.
[[nodiscard]] std::uint64_t program_clocks(std::span<const Command> commands,
                                           const Context& context,
                                           const Equipment& equipment = kStandardEquipment);

// Of a command that does not pass them.
[[nodiscard]] ModelWork refused_work();

}  // namespace fhe::fpga
