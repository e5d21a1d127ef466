// SPDX-License-Identifier: Apache-2.0
// The cells of Yosys that circuits are read from: simple gates and flip-flops. Not installed.
#pragma once

#include <optional>
#include <string_view>

#include "libfhe/circuit/small_function.hpp"

namespace fhe {

// A gate: its output Y as a function of its inputs, each of which is a port of one letter. The
// table is one of six inputs, as padded_function() takes it.
struct YosysGate {
  std::string_view type;
  std::string_view inputs;
  SmallTable table = 0;
};

// None for what is no simple gate.
[[nodiscard]] std::optional<YosysGate> yosys_gate(std::string_view type);

// A flip-flop with the input D and the output Q: its clock C, and what decides about its next
// value.
struct YosysRegister {
  // A signal and the value at which it acts.
  struct Control {
    bool when = true;
  };

  bool has_clock = true;
  bool rising = true;
  std::optional<Control> enable = {};  // E: otherwise it keeps its value
  std::optional<Control> reset = {};   // R: synchronous
  bool reset_value = false;
  bool enable_first = false;  // a reset counts only while it is enabled

  // What it takes next as a function of D, Q, E, R, in this order.
  [[nodiscard]] SmallTable next() const;
};

// None for what is none, and for those that something else than a clock sets.
[[nodiscard]] std::optional<YosysRegister> yosys_register(std::string_view type);

// Whether it keeps a value, and something else than a clock decides about it: a latch, or a
// flip-flop with an asynchronous reset, set or load.
[[nodiscard]] bool is_asynchronous_cell(std::string_view type);

}  // namespace fhe
