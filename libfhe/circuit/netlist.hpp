// SPDX-License-Identifier: Apache-2.0
// A circuit as data: gates on numbered wires, with named words as inputs and outputs.
//
// Wires are numbered so that a Netlist cannot be of a wrong shape: first come the bits of the input
// words, word after word and bit 0 (of value 1) first, and then the wires that the gates drive, in
// the order of the gates. Gates use earlier wires only, so every wire is driven exactly once and
// there is no cycle. Files with any other numbering are sorted when they are read
// (circuit/netlist_files.hpp).
//
// Threads: a Netlist is immutable and may be shared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libfhe/algebra/algebra.hpp"
#include "libfhe/export.hpp"
#include "libfhe/held.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe {

// The number of a wire.
using Wire = std::uint32_t;

// A circuit has fewer wires than this.
inline constexpr std::size_t kMaxWires = std::size_t{1} << 31;

// What a gate computes.
enum class GateKind : std::uint8_t {
  constant_0,
  constant_1,
  copy,
  not_gate,
  xor_gate,
  xnor_gate,
  and_gate,
  nand_gate,
  or_gate,
  nor_gate,
  mux_gate,  // inputs: select, value for 1, value for 0
};

// How many kinds there are.
inline constexpr std::size_t kGateKinds = 11;

// The name of a kind: "0", "1", "copy", "not", "xor", "xnor", "and", "nand", "or", "nor", "mux".
FHE_EXPORT std::string_view to_string(GateKind kind);

// Number of wires that a gate uses: 0 to 3.
FHE_EXPORT std::size_t gate_inputs(GateKind kind);

// Whether the gate costs an AND, that is, a product of ciphertexts.
FHE_EXPORT bool is_product(GateKind kind);

// A gate and the wires that it uses.
struct FHE_EXPORT Gate {
  GateKind kind = GateKind::constant_0;  // what it computes
  std::array<Wire, 3> inputs{};          // the first gate_inputs(kind) count

  friend bool operator==(const Gate&, const Gate&) = default;
};

// A word of input bits.
struct FHE_EXPORT InputWord {
  std::string name;       // not empty; differs from those of all other words
  std::size_t width = 0;  // number of bits, at least 1

  friend bool operator==(const InputWord&, const InputWord&) = default;
};

// A word of output bits.
struct FHE_EXPORT OutputWord {
  std::string name;         // as for input words
  std::vector<Wire> wires;  // bit 0 first

  friend bool operator==(const OutputWord&, const OutputWord&) = default;
};

// A circuit. Every use of one that was moved from throws Error(invalid_argument).
class FHE_EXPORT Netlist {
 public:
  // Throws Error(invalid_argument), naming the gate or word, when a gate or an output uses a wire
  // that is not driven before it, when a word has no name, the name of another or no bits, when
  // there are no outputs, or when there are kMaxWires wires or more.
  Netlist(std::vector<InputWord> inputs, std::vector<Gate> gates, std::vector<OutputWord> outputs);

  // What it was made of.
  [[nodiscard]] const std::vector<InputWord>& inputs() const { return held().inputs_; }
  [[nodiscard]] const std::vector<Gate>& gates() const { return held().gates_; }
  [[nodiscard]] const std::vector<OutputWord>& outputs() const { return held().outputs_; }

  // Number of bits of all input words, of bits of all output words, and of wires.
  [[nodiscard]] std::size_t input_bits() const { return held().input_bits_; }
  [[nodiscard]] std::size_t output_bits() const;
  [[nodiscard]] std::size_t wires() const { return input_bits() + gates_.size(); }

  // The wire that gate `index` drives, and the gate that drives a wire (null for an input).
  [[nodiscard]] Wire driven(std::size_t index) const {
    return static_cast<Wire>(input_bits_ + index);
  }
  [[nodiscard]] const Gate* driver(Wire wire) const {
    return wire < input_bits_ ? nullptr : &gates_[wire - input_bits_];
  }

  // The wires of all output words, one word after the other.
  [[nodiscard]] std::vector<Wire> output_wires() const;

  // SHA-256 of inputs, gates and outputs, names included (libfhe/storage/FORMAT.md).
  [[nodiscard]] Digest digest() const;

  friend bool operator==(const Netlist&, const Netlist&) = default;

 private:
  // A circuit has an output: one without was moved from.
  [[nodiscard]] const Netlist& held() const {
    if (outputs_.empty()) throw_moved_from("the circuit");
    return *this;
  }

  std::vector<InputWord> inputs_;
  std::vector<Gate> gates_;
  std::vector<OutputWord> outputs_;
  std::size_t input_bits_ = 0;
};

// What a circuit costs.
struct FHE_EXPORT NetlistCosts {
  std::array<std::size_t, kGateKinds> gates{};  // by kind
  std::size_t products = 0;                     // gates that cost an AND
  std::size_t and_depth = 0;                    // most of those on any path from input to output
  std::size_t depth = 0;                        // most gates of any kind on such a path
};

// Counts the gates, and the longest paths.
[[nodiscard]] FHE_EXPORT NetlistCosts costs(const Netlist& netlist);

// The value of one gate; `input(k)` is the value of its k-th input wire.
template <BitAlgebra Algebra, class Input>
[[nodiscard]] BitValue<Algebra> apply(Algebra& algebra, GateKind kind, const Input& input) {
  using Value = BitValue<Algebra>;
  switch (kind) {
    case GateKind::constant_0:
    case GateKind::constant_1:
      return algebra.constant(kind == GateKind::constant_1);
    case GateKind::copy:
      return input(0);
    case GateKind::not_gate:
      return algebra.not_gate(input(0));
    case GateKind::xor_gate:
      return algebra.xor_gate(input(0), input(1));
    case GateKind::xnor_gate:
      return xnor_of<Algebra, Value>(algebra, input(0), input(1));
    case GateKind::and_gate:
      return algebra.and_gate(input(0), input(1));
    case GateKind::nand_gate:
      return nand_of<Algebra, Value>(algebra, input(0), input(1));
    case GateKind::or_gate:
      return or_of<Algebra, Value>(algebra, input(0), input(1));
    case GateKind::nor_gate:
      return nor_of<Algebra, Value>(algebra, input(0), input(1));
    case GateKind::mux_gate:
      return mux_of<Algebra, Value>(algebra, input(0), input(1), input(2));
  }
  return algebra.constant(false);
}

// Throws Error(invalid_argument) unless `given` is the number of input bits of the circuit.
FHE_EXPORT void require_input_bits(const Netlist& netlist, std::size_t given);

// The output bits of the circuit on these input bits, word after word. Throws
// Error(invalid_argument) for any other number of bits than input_bits(). Keeps the values of all
// wires until the end; for long runs on ciphertexts see run_circuit().
template <BitAlgebra Algebra>
[[nodiscard]] std::vector<BitValue<Algebra>> evaluate(const Netlist& netlist, Algebra& algebra,
                                                      std::vector<BitValue<Algebra>> inputs) {
  require_input_bits(netlist, inputs.size());
  std::vector<BitValue<Algebra>> values = std::move(inputs);
  values.reserve(netlist.wires());
  for (const Gate& gate : netlist.gates()) {
    values.push_back(apply(algebra, gate.kind, [&](std::size_t k) -> decltype(auto) {
      return values[gate.inputs.at(k)];
    }));
  }
  std::vector<BitValue<Algebra>> outputs;
  for (const Wire wire : netlist.output_wires()) outputs.push_back(values[wire]);
  return outputs;
}

}  // namespace fhe
