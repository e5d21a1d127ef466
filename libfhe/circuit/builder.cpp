// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/builder.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

void require_room(std::size_t wires, std::size_t more) {
  if (more < kMaxWires - wires) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("a circuit has fewer than {} wires", kMaxWires));
}

}  // namespace

std::vector<Wire> NetlistBuilder::input(const std::string& name, std::size_t width) {
  require_room(nodes_.size(), width);
  std::vector<Wire> wires(width);
  for (Wire& wire : wires) wire = append({{}, true});
  inputs_.push_back({name, width});
  return wires;
}

Wire NetlistBuilder::append(const Node& node) {
  require_room(nodes_.size(), 1);
  nodes_.push_back(node);
  return static_cast<Wire>(nodes_.size() - 1);
}

void NetlistBuilder::require_wire(Wire wire) const {
  if (wire < nodes_.size()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("wire {} is none of the {} that the builder gave", wire, nodes_.size()));
}

Wire NetlistBuilder::add(GateKind kind, Wire x, Wire y) {
  const auto [first, second] = std::minmax(x, y);
  const std::array<Wire, 3> key{static_cast<Wire>(kind), first, second};
  const auto place = known_.lower_bound(key);
  if (place != known_.end() && place->first == key) return place->second;
  const Wire wire = append({{kind, gate_inputs(kind) == 1 ? std::array<Wire, 3>{x}
                                                          : std::array<Wire, 3>{first, second}}});
  known_.emplace_hint(place, key, wire);
  return wire;
}

Wire NetlistBuilder::constant(bool bit) {
  return add(bit ? GateKind::constant_1 : GateKind::constant_0, 0, 0);
}

std::optional<bool> NetlistBuilder::known(Wire wire) const {
  const Node& node = nodes_[wire];
  if (node.is_input) return std::nullopt;
  if (node.gate.kind == GateKind::constant_0) return false;
  if (node.gate.kind == GateKind::constant_1) return true;
  return std::nullopt;
}

bool NetlistBuilder::are_inverse(Wire x, Wire y) const {
  const auto inverts = [&](Wire wire, Wire other) {
    const Node& node = nodes_[wire];
    return !node.is_input && node.gate.kind == GateKind::not_gate && node.gate.inputs[0] == other;
  };
  return inverts(x, y) || inverts(y, x);
}

Wire NetlistBuilder::xor_gate(Wire x, Wire y) {
  require_wire(x);
  require_wire(y);
  if (x == y) return constant(false);
  if (are_inverse(x, y)) return constant(true);
  if (const auto bit = known(x)) return *bit ? not_gate(y) : y;
  if (const auto bit = known(y)) return *bit ? not_gate(x) : x;
  return add(GateKind::xor_gate, x, y);
}

Wire NetlistBuilder::and_gate(Wire x, Wire y) {
  require_wire(x);
  require_wire(y);
  if (x == y) return x;
  if (are_inverse(x, y)) return constant(false);
  if (const auto bit = known(x)) return *bit ? y : x;
  if (const auto bit = known(y)) return *bit ? x : y;
  return add(GateKind::and_gate, x, y);
}

Wire NetlistBuilder::not_gate(Wire x) {
  require_wire(x);
  const Node& node = nodes_[x];
  if (const auto bit = known(x)) return constant(!*bit);
  if (!node.is_input && node.gate.kind == GateKind::not_gate) return node.gate.inputs[0];
  return add(GateKind::not_gate, x, x);
}

void NetlistBuilder::output(const std::string& name, std::vector<Wire> wires) {
  for (const Wire wire : wires) require_wire(wire);
  outputs_.push_back({name, std::move(wires)});
}

void NetlistBuilder::outputs(const std::vector<OutputWord>& like, std::span<const Wire> bits) {
  for (const OutputWord& word : like) {
    const auto wires = bits.first(word.wires.size());
    output(word.name, {wires.begin(), wires.end()});
    bits = bits.subspan(wires.size());
  }
}

std::vector<bool> NetlistBuilder::needed() const {
  std::vector<bool> needed(nodes_.size());
  for (const OutputWord& word : outputs_) {
    for (const Wire wire : word.wires) needed[wire] = true;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (!needed[i] || nodes_[i].is_input) continue;
    for (std::size_t k = 0; k < gate_inputs(nodes_[i].gate.kind); ++k) {
      needed[nodes_[i].gate.inputs.at(k)] = true;
    }
  }
  return needed;
}

Netlist NetlistBuilder::build() const {
  const std::vector<bool> kept = needed();
  std::vector<Wire> number(nodes_.size());
  Wire next = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].is_input) number[i] = next++;
  }
  std::vector<Gate> gates;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].is_input || !kept[i]) continue;
    Gate gate = nodes_[i].gate;
    for (std::size_t k = 0; k < gate_inputs(gate.kind); ++k) {
      gate.inputs.at(k) = number[gate.inputs.at(k)];
    }
    gates.push_back(gate);
    number[i] = next++;
  }
  std::vector<OutputWord> outputs = outputs_;
  for (OutputWord& word : outputs) {
    for (Wire& wire : word.wires) wire = number[wire];
  }
  return {inputs_, std::move(gates), std::move(outputs)};
}

Netlist simplified(const Netlist& netlist) {
  return reporting_memory([&] {
    NetlistBuilder builder;
    std::vector<Wire> inputs;
    for (const InputWord& word : netlist.inputs()) {
      const std::vector<Wire> wires = builder.input(word.name, word.width);
      inputs.insert(inputs.end(), wires.begin(), wires.end());
    }
    builder.outputs(netlist.outputs(), evaluate(netlist, builder, std::move(inputs)));
    return builder.build();
  });
}

}  // namespace fhe
