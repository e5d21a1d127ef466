// How many clocks the device takes, computed: the units' clocks as ../README.md states them, one
// clock for each word that a unit writes, and a fixed time for fetching and checking a command.
#pragma once

#include <cstdint>

#include "accel/fpga/driver/command.hpp"
#include "accel/fpga/driver/context.hpp"

namespace fhe::fpga {

// The work of one command, by unit.
struct ModelWork {
  std::uint64_t multiply = 0;    // clocks of the product unit
  std::uint64_t sparse = 0;      // of the sparse unit
  std::uint64_t accumulate = 0;  // of the sum unit
  std::uint64_t reduce = 0;      // of these, clocks that are spent in reductions
  std::uint64_t words_read = 0;
  std::uint64_t words_written = 0;

  [[nodiscard]] std::uint64_t clocks() const;
  ModelWork& operator+=(const ModelWork& other);
};

// `context` is that of a command which reduces, else not looked at. Requires a command that passes
// the device's checks.
[[nodiscard]] ModelWork model_work(const Command& command, const Context& context);

}  // namespace fhe::fpga
