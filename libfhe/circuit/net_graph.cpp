// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/net_graph.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fhe {

namespace {

constexpr std::string_view kSampleClocks =
    "let the circuit sample its clocks, which become inputs then (yosys: clk2fflogic; opt; "
    "simplemap; opt)";

// The one clock of all registers; none where the file names none.
class ClockOfGraph {
 public:
  ClockOfGraph(const NetGraph& graph, const NetMeaning& meaning, const TextLines& lines) {
    if (graph.registers.empty()) return;
    clock_ = graph.registers.front().clock;
    const auto other = std::ranges::find_if(
        graph.registers, [&](const NetRegister& found) { return found.clock != clock_; });
    if (other != graph.registers.end()) {
      throw lines.malformed(
          other->line,
          fmt::format("this register has another clock than the one in line {}, or another edge of "
                      "it: {}",
                      graph.registers.front().line, kSampleClocks));
    }
    if (!clock_) return;
    const auto port = std::ranges::find_if(graph.inputs, [&](const NetPort& input) {
      return input.bits.size() == 1 && input.bits.front() == clock_->net;
    });
    if (port != graph.inputs.end()) return;
    throw lines.malformed(graph.registers.front().line,
                          fmt::format("the clock '{}' is no input of one bit: {}",
                                      meaning.name_of(clock_->net), kSampleClocks));
  }

  [[nodiscard]] bool is(Net net) const { return clock_ && clock_->net == net; }
  [[nodiscard]] bool is(const NetPort& port) const {
    return port.bits.size() == 1 && is(port.bits.front());
  }

 private:
  std::optional<NetClock> clock_;
};

// A word for the registers that no port is called.
std::string registers_word(const NetGraph& graph) {
  std::string name = "registers";
  const auto is_taken = [&](const NetPort& port) { return port.name == name; };
  while (std::ranges::any_of(graph.inputs, is_taken) ||
         std::ranges::any_of(graph.outputs, is_taken)) {
    name += '_';
  }
  return name;
}

class GraphCompiler {
 public:
  GraphCompiler(const NetGraph& graph, const NetMeaning& meaning, const TextLines& lines)
      : graph_(graph),
        meaning_(meaning),
        lines_(lines),
        clock_(graph, meaning, lines),
        bits_(graph.nets),
        drivers_(graph.nets),
        visits_(graph.functions.size()) {}

  ClockedCircuit compile() {
    const std::string registers = registers_word(graph_);
    for (const NetPort& port : graph_.inputs) add_input(port);
    add_registers(registers);
    for (std::size_t i = 0; i < graph_.functions.size(); ++i) add_driver(i);
    for (std::size_t i = 0; i < graph_.functions.size(); ++i) compute(i);
    for (const NetPort& port : graph_.outputs) {
      std::vector<Wire> wires;
      wires.reserve(port.bits.size());
      for (const Net net : port.bits) wires.push_back(wire_of(net, port.line));
      builder_.output(port.name, std::move(wires));
    }
    if (graph_.registers.empty()) return ClockedCircuit(builder_.build());
    return finish(registers);
  }

 private:
  struct Visit {
    bool entered = false;
    std::size_t inputs_done = 0;
  };

  [[nodiscard]] std::string name_of(Net net) const { return meaning_.name_of(net); }

  void require_undriven(Net net, std::size_t line) const {
    if (!bits_[net] && !drivers_[net]) return;
    throw lines_.malformed(line, fmt::format("net '{}' is driven a second time", name_of(net)));
  }

  void add_input(const NetPort& port) {
    if (clock_.is(port)) return;
    const std::vector<Wire> wires = builder_.input(port.name, port.bits.size());
    for (std::size_t i = 0; i < wires.size(); ++i) set(port.bits[i], wires[i], port.line);
  }

  void set(Net net, Wire wire, std::size_t line) {
    require_undriven(net, line);
    bits_[net] = WireBit(builder_, wire);
  }

  void add_registers(const std::string& word) {
    if (graph_.registers.empty()) return;
    const std::vector<Wire> wires = builder_.input(word, graph_.registers.size());
    for (std::size_t i = 0; i < wires.size(); ++i) {
      require_no_clock(graph_.registers[i].value, graph_.registers[i].line);
      set(graph_.registers[i].value, wires[i], graph_.registers[i].line);
    }
  }

  void add_driver(std::size_t index) {
    const NetFunction& function = graph_.functions[index];
    require_no_clock(function.output, function.line);
    require_undriven(function.output, function.line);
    drivers_[function.output] = index;
  }

  void require_no_clock(Net net, std::size_t line) const {
    if (!clock_.is(net)) return;
    throw lines_.malformed(line, fmt::format("the clock '{}' has another use than that of a clock: "
                                             "{}",
                                             name_of(net), kSampleClocks));
  }

  void require_driven(Net net, std::size_t line) const {
    require_no_clock(net, line);
    if (bits_[net] || drivers_[net]) return;
    throw lines_.malformed(line, fmt::format("nothing drives net '{}'{}", name_of(net),
                                             meaning_.advice_on_undriven(net)));
  }

  [[nodiscard]] Wire wire_of(Net net, std::size_t line) const {
    require_driven(net, line);
    return bits_[net]->value();
  }

  // The function of the next input that has no value yet; none when all have one.
  std::optional<std::size_t> next_missing(std::size_t index) {
    const NetFunction& function = graph_.functions[index];
    const auto inputs = graph_.inputs_of(function);
    for (std::size_t& k = visits_[index].inputs_done; k < inputs.size(); ++k) {
      require_driven(inputs[k], function.line);
      if (!bits_[inputs[k]]) return drivers_[inputs[k]];
    }
    return std::nullopt;
  }

  // Computes a function after all that it needs, without recursion: chains are long.
  void compute(std::size_t index) {
    std::vector<std::size_t> path{index};
    while (!path.empty()) {
      const std::size_t top = path.back();
      const NetFunction& function = graph_.functions[top];
      visits_[top].entered = true;
      const std::optional<std::size_t> missing =
          bits_[function.output] ? std::nullopt : next_missing(top);
      if (missing) {
        if (visits_[*missing].entered) throw cycle(function, graph_.functions[*missing]);
        path.push_back(*missing);
        continue;
      }
      if (!bits_[function.output]) bits_[function.output] = value_of(top);
      path.pop_back();
    }
  }

  [[nodiscard]] Error cycle(const NetFunction& function, const NetFunction& through) const {
    return lines_.malformed(function.line,
                            fmt::format("net '{}' depends on itself through '{}'",
                                        name_of(function.output), name_of(through.output)));
  }

  WireBit value_of(std::size_t index) {
    std::vector<WireBit> x;
    for (const Net input : graph_.inputs_of(graph_.functions[index])) x.push_back(*bits_[input]);
    return meaning_.value_of(index, std::move(x), builder_);
  }

  ClockedCircuit finish(const std::string& word) {
    std::vector<Wire> next;
    std::vector<bool> initial;
    for (const NetRegister& found : graph_.registers) {
      next.push_back(wire_of(found.next, found.line));
      initial.push_back(found.initial);
    }
    builder_.output(word, std::move(next));
    return {builder_.build(), std::move(initial)};
  }

  const NetGraph& graph_;
  const NetMeaning& meaning_;
  const TextLines& lines_;
  ClockOfGraph clock_;
  NetlistBuilder builder_;
  std::vector<std::optional<WireBit>> bits_;         // by net
  std::vector<std::optional<std::size_t>> drivers_;  // by net: its function
  std::vector<Visit> visits_;                        // by function
};

}  // namespace

NetFunction& NetGraph::add_function(std::size_t line) {
  return functions.emplace_back(NetFunction{line, 0, function_inputs.size(), 0});
}

void NetGraph::add_input(Net net) {
  function_inputs.push_back(net);
  ++functions.back().inputs;
}

ClockedCircuit to_circuit(const NetGraph& graph, const NetMeaning& meaning,
                          const TextLines& lines) {
  return GraphCompiler(graph, meaning, lines).compile();
}

}  // namespace fhe
