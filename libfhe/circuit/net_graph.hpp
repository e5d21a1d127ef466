// SPDX-License-Identifier: Apache-2.0
// A circuit as files describe it: nets, in any order, and what drives each of them. Not installed.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libfhe/circuit/clocked.hpp"
#include "libfhe/circuit/small_function.hpp"
#include "libfhe/circuit/text_lines.hpp"

namespace fhe {

// Nets are numbered from 0 on.
using Net = std::uint32_t;

// Drives its output with a function of its inputs, which the reader knows.
struct NetFunction {
  std::size_t line = 0;
  Net output = 0;
  std::size_t first_input = 0;  // of NetGraph::function_inputs
  std::size_t inputs = 0;
};

// The net whose edge makes a register take its next value.
struct NetClock {
  Net net = 0;
  bool rising = true;

  friend bool operator==(const NetClock&, const NetClock&) = default;
};

// Drives `value` with what `next` was in the cycle before.
struct NetRegister {
  std::size_t line = 0;
  Net next = 0;
  Net value = 0;
  bool initial = false;
  std::optional<NetClock> clock = {};  // none: the one clock that the file does not name
};

struct NetPort {
  std::string name;
  std::size_t line = 0;
  std::vector<Net> bits;  // the lowest first
};

struct NetGraph {
  std::size_t nets = 0;
  std::vector<NetPort> inputs;
  std::vector<NetPort> outputs;
  std::vector<NetFunction> functions;
  std::vector<Net> function_inputs;
  std::vector<NetRegister> registers;

  // Appends a function; its inputs are added next, by add_input.
  NetFunction& add_function(std::size_t line);
  void add_input(Net net);
  [[nodiscard]] std::span<const Net> inputs_of(const NetFunction& function) const {
    return std::span(function_inputs).subspan(function.first_input, function.inputs);
  }
};

// What only the reader of a format knows of the nets of its graph.
class NetMeaning {
 public:
  virtual ~NetMeaning() = default;

  // How messages call a net.
  [[nodiscard]] virtual std::string name_of(Net net) const = 0;

  // What to do about a net that nothing drives; empty where the format has no way.
  [[nodiscard]] virtual std::string advice_on_undriven(Net /*net*/) const { return {}; }

  // The value of graph.functions[index] where its inputs have the values x.
  [[nodiscard]] virtual WireBit value_of(std::size_t index, std::vector<WireBit> x,
                                         NetlistBuilder& builder) const = 0;
};

// The circuit of a graph. The port of the clock is left out. Throws Error(malformed_file) with the
// line: for nets that are driven by nothing or twice, for cycles without a register, for registers
// of different clocks or edges, for clocks that are no input or that anything else uses.
[[nodiscard]] ClockedCircuit to_circuit(const NetGraph& graph, const NetMeaning& meaning,
                                        const TextLines& lines);

}  // namespace fhe
