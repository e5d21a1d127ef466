// SPDX-License-Identifier: Apache-2.0
// Runs a circuit on ciphertexts: recrypts as planned, uses all threads, keeps within a memory
// budget, and goes on from a checkpoint after an interruption.
//
//   const Evaluator evaluator(key);
//   const CircuitResult result = run_circuit(netlist, evaluator, inputs);
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "libfhe/circuit/executor.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/parts.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/refresh_plan.hpp"
#include "libfhe/error.hpp"
#include "libfhe/export.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe {

// How to run a circuit.
struct FHE_EXPORT CircuitRunOptions {
  // Memory for the ciphertexts that the run keeps, inputs and outputs included; none: no limit. The
  // key, the circuit, and what one gate or recryption needs on each thread are not counted.
  std::optional<std::uint64_t> max_memory_bytes = {};
  // The file in which to save what is needed to go on; none: do not save. It stays when the run is
  // complete: remove it when the outputs are safe.
  std::optional<std::filesystem::path> checkpoint = {};
  // How long a product or a recryption that is done may wait to be saved. A run that is killed
  // loses what was done in that time, and what was being done; one that is stopped loses only the
  // latter.
  std::chrono::duration<double> checkpoint_interval = std::chrono::seconds(20);
  // Called by a thread of the run when a checkpoint cannot be written; the run goes on and the last
  // good checkpoint stays. Empty: the run ends with that error. Must not throw.
  std::function<void(const Error&)> checkpoint_failed = {};
  // Whether to go on from the checkpoint instead of starting from the inputs; the number of threads
  // and the executor may be others.
  bool resume = false;
  // For reading and writing the checkpoint.
  ReadLimits limits = {};
  // Who runs the tasks; null: a LocalExecutor. Must outlive the run.
  const Executor* executor = nullptr;
};

// What a run gives.
struct FHE_EXPORT CircuitResult {
  std::vector<Ciphertext> outputs;   // bits of the output words, one word after the other
  RefreshPlan plan;                  // by the wires of with_lower_degree(netlist)
  std::size_t recryptions = 0;       // done in this run
  std::size_t peak_ciphertexts = 0;  // kept at the same time
  std::size_t resumed_values = 0;    // taken from the checkpoint
};

// The outputs of the program on `inputs`, the bits of its input words. The noise of every output is
// within what can be refreshed. What the plan refreshes is refreshed by the evaluator's policy. All
// arguments may be shared by threads; the run itself uses as many threads as the executor has: by
// default those that parallel_for may use. Inputs that are moved into the call are dropped as soon
// as nothing needs them. The outputs are the same whatever the executor and the number of threads.
//
// Progress is reported as phase "circuit", where a recryption counts as much as many gates. Throws
// Error(wrong_key) for ciphertexts, a program or a checkpoint of another key;
// Error(invalid_argument) for a wrong number of inputs, values that are not below the modulus, a
// checkpoint of another circuit or of other inputs, or (before the first gate) one that would
// exceed the limits; Error(malformed_file), Error(io); Error(noise_exceeded), also for inputs with
// more noise than the program allows; Error(unsupported) when the memory is too small;
// Error(stopped). A checkpoint then holds what was done, unless it was the checkpoint that failed:
// that stays as it was.
[[nodiscard]] FHE_EXPORT CircuitResult run_circuit(const CircuitProgram& program,
                                                   const Evaluator& evaluator,
                                                   std::vector<Ciphertext> inputs,
                                                   const CircuitRunOptions& options = {},
                                                   const Monitor& monitor = {});

// The same for a circuit that is compiled for these inputs, and run once.
[[nodiscard]] FHE_EXPORT CircuitResult run_circuit(const Netlist& netlist,
                                                   const Evaluator& evaluator,
                                                   std::vector<Ciphertext> inputs,
                                                   const CircuitRunOptions& options = {},
                                                   const Monitor& monitor = {});

// One part of a run: the values that it gives, from those that it takes, in the order in which it
// names them. The parts of split_into_parts(program.tasks(), ...), done one after the other or
// anywhere, make the same outputs as run_circuit(). Threads and progress are those of a
// LocalExecutor. Throws Error(wrong_key) for ciphertexts or a program of another key;
// Error(noise_exceeded) for values with more noise than the program has there;
// Error(invalid_argument) for another number of values, values that are not below the modulus, and
// a part that is none of the program's; Error(stopped).
[[nodiscard]] FHE_EXPORT std::vector<Ciphertext> run_part(const CircuitProgram& program,
                                                          const Evaluator& evaluator,
                                                          const CircuitPart& part,
                                                          std::vector<Ciphertext> values,
                                                          const Monitor& monitor = {});

// The bytes that a ciphertext of the key takes in memory.
[[nodiscard]] FHE_EXPORT std::uint64_t ciphertext_bytes(const Integer& modulus);

}  // namespace fhe
