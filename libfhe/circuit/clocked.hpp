// SPDX-License-Identifier: Apache-2.0
// A circuit with registers, which computes in cycles of one clock.
//
// In each cycle the outputs follow from the inputs and from what the registers hold; then all
// registers take their next values at once. So a cycle is a combinational circuit, the step, whose
// last input word is what the registers hold and whose last output word is what they hold in the
// next cycle. A circuit without registers is its own step, and every cycle stands for itself.
//
// The clock itself is no input. A register starts with a value; where a file does not say which, it
// is 0.
//
// Threads: a ClockedCircuit is immutable and may be shared.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "libfhe/algebra/algebra.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/export.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe {

// A circuit with any number of registers, none included.
class FHE_EXPORT ClockedCircuit {
 public:
  // Without registers.
  explicit ClockedCircuit(Netlist step) : step_(std::move(step)) {}

  // With one register for each of `initial`, the values that they start with. Throws
  // Error(invalid_argument) unless the last input word and the last output word of `step` have as
  // many bits, and there is another output word.
  ClockedCircuit(Netlist step, std::vector<bool> initial);

  // One cycle.
  [[nodiscard]] const Netlist& step() const { return step_; }
  // What the registers hold in the first cycle.
  [[nodiscard]] const std::vector<bool>& initial() const {
    static_cast<void>(step_.outputs());  // throws where it was moved from
    return initial_;
  }
  // How many registers there are.
  [[nodiscard]] std::size_t registers() const { return initial().size(); }

  // The words of one cycle that are not registers; valid as long as this object.
  [[nodiscard]] std::span<const InputWord> inputs() const;
  [[nodiscard]] std::span<const OutputWord> outputs() const;
  // Number of bits of these words.
  [[nodiscard]] std::size_t input_bits() const { return step_.input_bits() - registers(); }
  [[nodiscard]] std::size_t output_bits() const { return step_.output_bits() - registers(); }

  // SHA-256 of the step's digest and of the initial values (libfhe/storage/FORMAT.md).
  [[nodiscard]] Digest digest() const;

  friend bool operator==(const ClockedCircuit&, const ClockedCircuit&) = default;

 private:
  Netlist step_;
  std::vector<bool> initial_;
};

// What the registers hold in the first cycle, as constants.
template <BitAlgebra Algebra>
[[nodiscard]] std::vector<BitValue<Algebra>> initial_state(const ClockedCircuit& circuit,
                                                           Algebra& algebra) {
  std::vector<BitValue<Algebra>> state;
  for (const bool bit : circuit.initial()) state.push_back(algebra.constant(bit));
  return state;
}

// One cycle: the output bits, word after word, on these input bits. `state` is what the registers
// hold, before and after. Throws Error(invalid_argument) for wrong numbers of bits. For ciphertexts
// see run_clocked().
template <BitAlgebra Algebra>
[[nodiscard]] std::vector<BitValue<Algebra>> evaluate_cycle(const ClockedCircuit& circuit,
                                                            Algebra& algebra,
                                                            std::vector<BitValue<Algebra>> inputs,
                                                            std::vector<BitValue<Algebra>>& state) {
  inputs.insert(inputs.end(), state.begin(), state.end());
  std::vector<BitValue<Algebra>> outputs = evaluate(circuit.step(), algebra, std::move(inputs));
  const auto next = outputs.begin() + static_cast<std::ptrdiff_t>(circuit.output_bits());
  state.assign(next, outputs.end());
  outputs.erase(next, outputs.end());
  return outputs;
}

}  // namespace fhe
