// SPDX-License-Identifier: Apache-2.0
// A circuit that is ready to run under the keys of one parameter group: simplified, with every
// recryption planned. It is a value: compile it once, show what it costs, save it
// (circuit/program_files.hpp), and run it as often as there are inputs (circuit/run.hpp).
//
//   const CircuitProgram program = CircuitProgram::compile(netlist, evaluator);
//   const CircuitResult result = run_circuit(program, evaluator, inputs);
//
// Threads: a CircuitProgram is immutable and may be shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/refresh_plan.hpp"
#include "libfhe/circuit/task_graph.hpp"
#include "libfhe/export.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/noise.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe {

// The keys that a program runs under: those of this parameter group, which have this noise.
struct FHE_EXPORT ProgramKeys {
  std::string scheme;          // such as "cnt"
  std::string parameters;      // name of the group, such as "cnt-toy"
  Digest parameters_digest{};  // of the group
  NoiseModel noise;            // limits, growth, and what recryption leaves

  // Those of the evaluator's key, with its adder.
  [[nodiscard]] static ProgramKeys of(const Evaluator& evaluator);

  friend bool operator==(const ProgramKeys&, const ProgramKeys&) = default;
};

// A circuit, the keys that it runs under, and what is recrypted.
class FHE_EXPORT CircuitProgram {
 public:
  // The program of a circuit for keys like the evaluator's, and input bits with at most these noise
  // bounds; without them, new encryptions by the public key. What it runs is
  // with_lower_degree(netlist). Throws as plan_refreshes.
  [[nodiscard]] static CircuitProgram compile(const Netlist& netlist, const Evaluator& evaluator,
                                              const std::vector<NoiseBound>& inputs,
                                              const Monitor& monitor = {});
  [[nodiscard]] static CircuitProgram compile(const Netlist& netlist, const Evaluator& evaluator,
                                              const Monitor& monitor = {});

  // The program of a circuit that is simplified already, whose wires `refreshed` are recrypted; for
  // those who store plans. `lower_bound` and `gate_by_gate` are as in RefreshPlan. Throws as
  // noise_of_wires.
  [[nodiscard]] static CircuitProgram planned(Netlist circuit, ProgramKeys keys,
                                              std::vector<NoiseBound> inputs,
                                              std::vector<bool> refreshed, std::size_t lower_bound,
                                              std::size_t gate_by_gate);

  // The circuit that runs. Its input and output words are those of the circuit it was made of.
  [[nodiscard]] const Netlist& circuit() const { return held().circuit_; }
  // The keys that it runs under.
  [[nodiscard]] const ProgramKeys& keys() const { return held().keys_; }
  // The most noise that the input bits may have.
  [[nodiscard]] const std::vector<NoiseBound>& inputs() const { return held().inputs_; }
  // What is recrypted, by the wires of circuit().
  [[nodiscard]] const RefreshPlan& plan() const { return held().plan_; }

  // Its tasks from the inputs to the outputs: what it costs, its longest chain, the values that it
  // keeps (TaskGraph).
  [[nodiscard]] TaskGraph tasks(const TaskCosts& costs = {}) const;

  // Its plan with the noise of these input bits instead of the most that they may have. Throws
  // Error(noise_exceeded) for more than that, Error(invalid_argument) for another number of bits.
  [[nodiscard]] RefreshPlan plan_for(const std::vector<NoiseBound>& inputs) const;

  // Throws Error(wrong_key) unless the evaluator's key is one that the program runs under.
  void require_runs_under(const Evaluator& evaluator) const;

 private:
  CircuitProgram(Netlist circuit, ProgramKeys keys, std::vector<NoiseBound> inputs,
                 RefreshPlan plan);

  // This program. Throws Error(invalid_argument) where it was moved from, as its circuit was.
  [[nodiscard]] const CircuitProgram& held() const {
    static_cast<void>(circuit_.outputs());
    return *this;
  }

  Netlist circuit_;
  ProgramKeys keys_;
  std::vector<NoiseBound> inputs_;
  RefreshPlan plan_;
};

}  // namespace fhe
