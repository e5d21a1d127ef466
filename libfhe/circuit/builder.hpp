// SPDX-License-Identifier: Apache-2.0
// Builds a Netlist by computing: an algebra whose bits are wires.
//
//   NetlistBuilder builder;
//   const auto x = input_word(builder, "x", 32), y = input_word(builder, "y", 32);
//   output_word(builder, "smaller", min(x, y));     // circuit/word.hpp
//   const Netlist netlist = builder.build();
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// Builds constants, NOT, XOR and AND only. Nothing is built twice: two gates of the same kind on
// the same wires are one gate. Nothing is built for what is known: NOT of NOT, gates on constants,
// and x XOR x, x AND x, x XOR NOT x, x AND NOT x. Wires are handles into the builder, not
// the numbers of the finished Netlist. Everything that takes or makes wires throws
// Error(invalid_argument) for a wire that does not come from this builder, and when there would be
// kMaxWires of them. One thread at a time.
class FHE_EXPORT NetlistBuilder {
 public:
  // Adds the next input word and gives its wires, bit 0 first.
  std::vector<Wire> input(const std::string& name, std::size_t width);

  // The operations of BitAlgebra.
  [[nodiscard]] Wire constant(bool bit);
  [[nodiscard]] Wire xor_gate(Wire x, Wire y);
  [[nodiscard]] Wire and_gate(Wire x, Wire y);
  [[nodiscard]] Wire not_gate(Wire x);

  // Adds the next output word, bit 0 first.
  void output(const std::string& name, std::vector<Wire> wires);

  // Adds output words with the names and widths of `like`, made of these bits, one word after the
  // other. Requires as many bits as these widths add up to.
  void outputs(const std::vector<OutputWord>& like, std::span<const Wire> bits);

  // The circuit so far, without the gates that no output needs. Throws Error(invalid_argument) as
  // the constructor of Netlist does.
  [[nodiscard]] Netlist build() const;

 private:
  struct Node {
    Gate gate;
    bool is_input = false;
  };

  void require_wire(Wire wire) const;
  // The value of a constant.
  [[nodiscard]] std::optional<bool> known(Wire wire) const;
  [[nodiscard]] bool are_inverse(Wire x, Wire y) const;
  // Requires wires of this builder.
  Wire add(GateKind kind, Wire x, Wire y);
  Wire append(const Node& node);
  [[nodiscard]] std::vector<bool> needed() const;

  std::vector<InputWord> inputs_;
  std::vector<OutputWord> outputs_;
  std::vector<Node> nodes_;
  std::map<std::array<Wire, 3>, Wire> known_;  // kind and inputs -> what drives it
};

// The same function with constants, NOT, XOR and AND as its only gates, no two of them equal, none
// on a constant and none that no output needs. Files in Bristol Fashion are made from it.
[[nodiscard]] FHE_EXPORT Netlist simplified(const Netlist& netlist);

}  // namespace fhe
