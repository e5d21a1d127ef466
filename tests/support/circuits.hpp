// SPDX-License-Identifier: Apache-2.0
// Circuits for tests: circuits built from word operations, runs on plain bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/circuit/bits.hpp"
#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/word.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

inline std::vector<bool> joined(const std::vector<std::vector<bool>>& words) {
  std::vector<bool> bits;
  for (const auto& word : words) bits.insert(bits.end(), word.begin(), word.end());
  return bits;
}

inline std::vector<bool> evaluate_plain(const Netlist& netlist, std::vector<bool> inputs) {
  const PlainBits plain;
  return evaluate(netlist, plain, std::move(inputs));
}

// A circuit of random XOR, AND and NOT gates whose last wires are its outputs.
inline Netlist random_circuit(Operands& random, std::size_t inputs, std::size_t gates) {
  std::vector<Gate> list;
  for (std::size_t i = 0; i < gates; ++i) {
    const auto wire = [&] { return static_cast<Wire>(random.between(0, inputs + i - 1)); };
    constexpr std::array kKinds{GateKind::xor_gate, GateKind::and_gate, GateKind::not_gate,
                                GateKind::xor_gate, GateKind::and_gate};
    list.push_back({kKinds.at(random.between(0, kKinds.size() - 1)), {wire(), wire()}});
  }
  return {{{"x", inputs}},
          list,
          {{"y", {static_cast<Wire>(inputs + gates - 1), static_cast<Wire>(inputs + gates - 2)}}}};
}

// The circuit operation(x, y) of two words of `width` bits.
template <class Operation>
Netlist two_word_circuit(std::size_t width, const Operation& operation) {
  NetlistBuilder builder;
  const auto x = input_word(builder, "x", width);
  const auto y = input_word(builder, "y", width);
  output_word(builder, "z", operation(x, y));
  return builder.build();
}

inline Netlist adder_circuit(std::size_t width, Prefer prefer = Prefer::few_ands) {
  return two_word_circuit(width, [&](const auto& x, const auto& y) { return add(x, y, prefer); });
}

// x < y, and the smaller one.
inline Netlist comparator_circuit(std::size_t width) {
  return two_word_circuit(width, [](const auto& x, const auto& y) {
    const auto smaller = less(x, y);
    auto bits = mux(smaller, x, y).bits();
    bits.push_back(smaller);
    return Word<NetlistBuilder>(x.algebra(), std::move(bits));
  });
}

inline Netlist multiplier_circuit(std::size_t width, Prefer prefer = Prefer::few_ands) {
  return two_word_circuit(
      width, [&](const auto& x, const auto& y) { return multiply(x, y, x.width(), prefer); });
}

}  // namespace fhe::test
