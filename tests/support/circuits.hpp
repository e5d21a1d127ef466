// Circuits for tests: numbers as bits, circuits built from word operations, runs on plain bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/word.hpp"

namespace fhe::test {

inline std::vector<bool> bits_of(std::uint64_t value, std::size_t width) {
  std::vector<bool> bits(width);
  for (std::size_t i = 0; i < width; ++i) bits[i] = (value >> i & 1) != 0;
  return bits;
}

inline std::uint64_t number_of(const std::vector<bool>& bits, std::size_t first = 0,
                               std::size_t count = 64) {
  std::uint64_t value = 0;
  for (std::size_t i = first; i < bits.size() && i < first + count; ++i) {
    value |= std::uint64_t{bits[i]} << (i - first);
  }
  return value;
}

inline std::vector<bool> joined(const std::vector<std::vector<bool>>& words) {
  std::vector<bool> bits;
  for (const auto& word : words) bits.insert(bits.end(), word.begin(), word.end());
  return bits;
}

inline std::vector<bool> evaluate_plain(const Netlist& netlist, std::vector<bool> inputs) {
  const PlainBits plain;
  return evaluate(netlist, plain, std::move(inputs));
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
