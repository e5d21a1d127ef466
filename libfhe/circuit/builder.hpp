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
#include <span>
#include <string>
#include <vector>

#include "libfhe/circuit/netlist.hpp"

namespace fhe {

// Only constants, NOT, XOR and AND are built. What was built before is found again: two gates of
// the same kind on the same wires are one, and NOT of NOT is nothing. Wires are handles into the
// builder; they are not the numbers of the finished Netlist. Everything that takes or makes wires
// throws Error(invalid_argument) for a wire that the builder did not give and when it would have
// kMaxWires. One thread at a time.
class NetlistBuilder {
 public:
  // The next input word, bit 0 first.
  std::vector<Wire> input(const std::string& name, std::size_t width);

  [[nodiscard]] Wire constant(bool bit);
  [[nodiscard]] Wire xor_gate(Wire x, Wire y);
  [[nodiscard]] Wire and_gate(Wire x, Wire y);
  [[nodiscard]] Wire not_gate(Wire x);

  // The next output word, bit 0 first.
  void output(const std::string& name, std::vector<Wire> wires);

  // Output words of the names and widths of `like`, whose bits are these, one word after the other.
  // Requires as many bits.
  void outputs(const std::vector<OutputWord>& like, std::span<const Wire> bits);

  // The circuit so far, without the gates that no output needs. Throws Error(invalid_argument) as
  // Netlist does.
  [[nodiscard]] Netlist build() const;

 private:
  struct Node {
    Gate gate;
    bool is_input = false;
  };

  void require_wire(Wire wire) const;
  Wire add(GateKind kind, Wire x, Wire y);
  Wire append(const Node& node);
  [[nodiscard]] std::vector<bool> needed() const;

  std::vector<InputWord> inputs_;
  std::vector<OutputWord> outputs_;
  std::vector<Node> nodes_;
  std::map<std::array<Wire, 3>, Wire> known_;  // kind and inputs -> what drives it
};

// The same function with constants, NOT, XOR and AND as its only gates, each built once, and no
// gate that no output needs: what files in Bristol Fashion are made from.
[[nodiscard]] Netlist simplified(const Netlist& netlist);

}  // namespace fhe
