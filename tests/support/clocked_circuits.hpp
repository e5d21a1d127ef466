// SPDX-License-Identifier: Apache-2.0
// Circuits with registers for tests, and how they run on plain bits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "libfhe/circuit/bits.hpp"
#include "libfhe/circuit/clocked.hpp"
#include "libfhe/circuit/netlist_files.hpp"

namespace fhe::test {

// The output bits of each cycle on the input bits of each cycle.
inline std::vector<std::vector<bool>> outputs_in_cycles(
    const ClockedCircuit& circuit, const std::vector<std::vector<bool>>& inputs) {
  const PlainBits plain;
  std::vector<bool> state = initial_state(circuit, plain);
  std::vector<std::vector<bool>> outputs;
  for (const std::vector<bool>& bits : inputs) {
    outputs.push_back(evaluate_cycle(circuit, plain, bits, state));
  }
  return outputs;
}

// A design of tests/data/circuits that is there in every format: counter, lfsr, serial_adder, lock.
// "counter.blif", "counter.json", "counter.aag", "counter.aig".
inline ClockedCircuit clocked_data(const std::string& file) {
  return load_circuit(fmt::format("{}/circuits/{}", FHE_TEST_DATA_DIR, file));
}

// The position of a port among the bits of one cycle's inputs; those of the clock, which AIGER
// lists, stay 0.
inline std::vector<bool> cycle_bits(const ClockedCircuit& circuit,
                                    const std::vector<std::pair<std::string, unsigned>>& values) {
  std::vector<bool> bits;
  for (const InputWord& word : circuit.inputs()) {
    unsigned value = 0;
    for (const auto& [name, given] : values) {
      if (name == word.name) value = given;
    }
    for (std::size_t i = 0; i < word.width; ++i) bits.push_back((value >> i & 1U) != 0);
  }
  return bits;
}

}  // namespace fhe::test
