// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/netlist.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe {

namespace {

struct GateFacts {
  std::string_view name;
  std::size_t inputs;
  bool product;
};

const GateFacts& facts(GateKind kind) {
  static constexpr std::array<GateFacts, kGateKinds> kTable{{{"0", 0, false},
                                                             {"1", 0, false},
                                                             {"copy", 1, false},
                                                             {"not", 1, false},
                                                             {"xor", 2, false},
                                                             {"xnor", 2, false},
                                                             {"and", 2, true},
                                                             {"nand", 2, true},
                                                             {"or", 2, true},
                                                             {"nor", 2, true},
                                                             {"mux", 3, true}}};
  return kTable.at(static_cast<std::size_t>(kind));
}

Error invalid(const std::string& what) {
  return {ErrorCode::invalid_argument, what};
}

// Input bits of a circuit with these words, and its wires in all.
std::size_t checked_input_bits(const std::vector<InputWord>& inputs, std::size_t gates) {
  std::size_t bits = 0;
  std::size_t left = kMaxWires - std::min(gates, kMaxWires);
  for (const InputWord& word : inputs) {
    left -= std::min(word.width, left);
    bits += word.width;
  }
  if (left == 0) throw invalid(fmt::format("a circuit has fewer than {} wires", kMaxWires));
  return bits;
}

std::size_t width_of(const InputWord& word) {
  return word.width;
}
std::size_t width_of(const OutputWord& word) {
  return word.wires.size();
}

// Names are compared in order, not by their hashes: whoever makes a file could make those equal.
template <class Word>
void check_words(const std::vector<Word>& words, std::string_view kind) {
  std::vector<std::string_view> names;
  for (const Word& word : words) {
    if (word.name.empty()) throw invalid(fmt::format("an {} of the circuit has no name", kind));
    if (width_of(word) == 0) throw invalid(fmt::format("{} '{}' has no bits", kind, word.name));
    names.push_back(word.name);
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end())
    throw invalid(fmt::format("there are two {}s called '{}'", kind, *twice));
}

class NumberHasher {
 public:
  void add(std::uint64_t number) {
    std::array<std::byte, sizeof number> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>(number >> (8 * i) & 0xff);
    }
    hasher_.update(bytes);
  }
  void add(std::string_view text) {
    add(text.size());
    hasher_.update(text);
  }
  [[nodiscard]] Digest finish() { return hasher_.finish(); }

 private:
  Hasher hasher_;
};

}  // namespace

std::string_view to_string(GateKind kind) {
  return facts(kind).name;
}

std::size_t gate_inputs(GateKind kind) {
  return facts(kind).inputs;
}

bool is_product(GateKind kind) {
  return facts(kind).product;
}

Netlist::Netlist(std::vector<InputWord> inputs, std::vector<Gate> gates,
                 std::vector<OutputWord> outputs)
    : inputs_(std::move(inputs)),
      gates_(std::move(gates)),
      outputs_(std::move(outputs)),
      input_bits_(checked_input_bits(inputs_, gates_.size())) {
  check_words(inputs_, "input");
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    for (std::size_t k = 0; k < gate_inputs(gates_[i].kind); ++k) {
      if (gates_[i].inputs.at(k) < driven(i)) continue;
      throw invalid(fmt::format("gate {} ({}) uses wire {}, which is not driven before it", i,
                                to_string(gates_[i].kind), gates_[i].inputs.at(k)));
    }
  }
  if (outputs_.empty()) throw invalid("a circuit has at least one output");
  check_words(outputs_, "output");
  for (const OutputWord& word : outputs_) {
    for (const Wire wire : word.wires) {
      if (wire < wires()) continue;
      throw invalid(fmt::format("output '{}' is wire {}, which nothing drives", word.name, wire));
    }
  }
}

std::size_t Netlist::output_bits() const {
  std::size_t bits = 0;
  for (const OutputWord& word : outputs()) bits += word.wires.size();
  return bits;
}

std::vector<Wire> Netlist::output_wires() const {
  std::vector<Wire> wires;
  wires.reserve(output_bits());
  for (const OutputWord& word : outputs_) {
    wires.insert(wires.end(), word.wires.begin(), word.wires.end());
  }
  return wires;
}

Digest Netlist::digest() const {
  NumberHasher hasher;
  hasher.add(inputs().size());
  for (const InputWord& word : inputs_) {
    hasher.add(word.name);
    hasher.add(word.width);
  }
  hasher.add(gates_.size());
  for (const Gate& gate : gates_) {
    hasher.add(static_cast<std::uint64_t>(gate.kind));
    for (std::size_t k = 0; k < gate_inputs(gate.kind); ++k) hasher.add(gate.inputs.at(k));
  }
  hasher.add(outputs_.size());
  for (const OutputWord& word : outputs_) {
    hasher.add(word.name);
    hasher.add(word.wires.size());
    for (const Wire wire : word.wires) hasher.add(wire);
  }
  return hasher.finish();
}

NetlistCosts costs(const Netlist& netlist) {
  struct Depths {
    std::size_t products = 0;
    std::size_t gates = 0;
  };
  NetlistCosts result;
  std::vector<Depths> depths(netlist.input_bits());
  depths.reserve(netlist.wires());
  for (const Gate& gate : netlist.gates()) {
    Depths reached;
    for (std::size_t k = 0; k < gate_inputs(gate.kind); ++k) {
      const Depths& input = depths[gate.inputs.at(k)];
      reached.products = std::max(reached.products, input.products);
      reached.gates = std::max(reached.gates, input.gates);
    }
    const std::size_t product = is_product(gate.kind) ? 1 : 0;
    depths.push_back({reached.products + product, reached.gates + 1});
    result.products += product;
    ++result.gates.at(static_cast<std::size_t>(gate.kind));
  }
  for (const Wire wire : netlist.output_wires()) {
    result.and_depth = std::max(result.and_depth, depths[wire].products);
    result.depth = std::max(result.depth, depths[wire].gates);
  }
  return result;
}

void require_input_bits(const Netlist& netlist, std::size_t given) {
  if (given == netlist.input_bits()) return;
  throw invalid(
      fmt::format("the circuit takes {} input bits, not {}", netlist.input_bits(), given));
}

}  // namespace fhe
