// SPDX-License-Identifier: Apache-2.0
// Runs a circuit with registers on ciphertexts for a number of cycles. What the registers hold
// stays encrypted from one cycle to the next.
//
//   const ClockedCircuit circuit = load_circuit("counter.blif");
//   const ClockedResult result = run_clocked(circuit, evaluator, inputs, 100);
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "libfhe/circuit/clocked.hpp"
#include "libfhe/circuit/refresh_plan.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/export.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/noise.hpp"

namespace fhe {

// Where to recrypt in every cycle but the first, whose registers hold constants.
struct FHE_EXPORT CyclePlan {
  RefreshPlan step;             // of with_lower_degree(circuit.step())
  NoiseBound state;             // what registers hold has at most this noise when a cycle begins
  std::size_t recryptions = 0;  // in a cycle, those included that bring registers down to `state`
};

// The plan for input bits with these noise bounds, which holds for every cycle: registers begin it
// with at most the noise of a recrypted ciphertext, or with at most as much as can be refreshed at
// all, whichever takes fewer recryptions. Throws as plan_refreshes().
[[nodiscard]] FHE_EXPORT CyclePlan plan_cycle(const ClockedCircuit& circuit,
                                              const NoiseModel& model,
                                              const std::vector<NoiseBound>& inputs,
                                              const Monitor& monitor = {});

// A run has at most so many cycles.
inline constexpr std::size_t kMaxCycles = std::size_t{1} << 32;

// How to run a circuit for some cycles.
struct FHE_EXPORT ClockedRunOptions {
  // As for run_circuit(). The checkpoint holds what is needed to go on behind the last cycle that
  // is complete; beside it, as cycle_checkpoint(), is what is needed to go on within the next one.
  CircuitRunOptions run = {};
  // Whether to give the outputs of all cycles, and not of the last one only.
  bool every_cycle = false;
};

// What a run gives.
struct FHE_EXPORT ClockedResult {
  // The bits of each output word: of the last cycle, or of all cycles, one after the other.
  std::vector<std::vector<Ciphertext>> outputs;
  std::size_t recryptions = 0;       // done in this run
  std::size_t peak_ciphertexts = 0;  // kept at the same time
  std::size_t resumed_cycles = 0;    // that were complete in the checkpoint
  std::size_t resumed_values = 0;    // taken from the checkpoint of the cycle that was interrupted
};

// Runs 1 to kMaxCycles cycles. `inputs` has a list for each input word: of as many bits as the word
// has, which it then has in all cycles, or of `cycles` times as many, those of the first cycle
// first. Registers begin with trivial ciphertexts of their first values. Every cycle is planned
// with the noise that its inputs and registers have; what is above CyclePlan::state at its end is
// refreshed.
//
// Progress is reported as phase "cycles". Throws as run_circuit(), Error(invalid_argument) also for
// another number of cycles and for a checkpoint of a run of another number of cycles or of other
// outputs.
[[nodiscard]] FHE_EXPORT ClockedResult run_clocked(const ClockedCircuit& circuit,
                                                   const Evaluator& evaluator,
                                                   std::vector<std::vector<Ciphertext>> inputs,
                                                   std::size_t cycles,
                                                   const ClockedRunOptions& options = {},
                                                   const Monitor& monitor = {});

// The checkpoint of a cycle, counted from 0, beside that of its run.
[[nodiscard]] FHE_EXPORT std::filesystem::path cycle_checkpoint(
    const std::filesystem::path& checkpoint, std::size_t cycle);

}  // namespace fhe
