// SPDX-License-Identifier: Apache-2.0
// What the hardware of accel/fpga takes for an operation by its law of clocks, which tests hold the
// simulated RTL to; nothing here was measured.
#pragma once

#include <cstdint>
#include <string>

namespace fhe::bench {

struct ComputedClocks {
  std::string module;     // the top module
  std::string published;  // the design of params/published.toml whose times are those of its paper
  std::string group;
  std::string operation;
  std::uint64_t clocks = 0;
  double hertz = 0;  // of a clock that is assumed: that of the paper

  [[nodiscard]] double seconds() const { return static_cast<double>(clocks) / hertz; }

  friend bool operator==(const ComputedClocks&, const ComputedClocks&) = default;
};

}  // namespace fhe::bench
