// SPDX-License-Identifier: Apache-2.0
// What `fhe run` is told, and what its ways to run a circuit share.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/cli/output.hpp"
#include "apps/cli/session.hpp"
#include "libfhe/circuit/clocked.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/error.hpp"

namespace fhe::cli {

// Who runs the tasks of a circuit: this process, or all processes of an MPI job.
inline constexpr const char* kLocalEngine = "local";
inline constexpr const char* kStarpuEngine = "starpu";

struct RunCommandOptions {
  std::string circuit;
  bool plain = false;
  bool slots = false;  // with plain
  std::string key;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::uint64_t cycles = 0;  // 0: not given
  bool every_cycle = false;
  std::uint64_t memory_mib = 0;
  std::string checkpoint;
  double checkpoint_interval =
      std::chrono::duration<double>(CircuitRunOptions{}.checkpoint_interval).count();
  bool resume = false;
  std::string engine{kLocalEngine};
};

// Error(invalid_argument): the command cannot be run with these options.
Error misuse(const std::string& what);

// Throws Error(invalid_argument) unless --input is given once for each of the words.
void require_one_for_each_input(const RunCommandOptions& options,
                                std::span<const InputWord> inputs);

// Throws Error(invalid_argument) for options that --plain has no use for.
void require_plain_options(const RunCommandOptions& options);

// Where the outputs go: one place for all of the words or one for each. Throws
// Error(invalid_argument) and Error(io), for the checkpoint as well.
std::vector<std::filesystem::path> checked_outputs(const RunCommandOptions& options,
                                                   std::span<const OutputWord> words);

CircuitRunOptions run_options(const RunCommandOptions& options, const ReadLimits& limits);

// Removes the checkpoint of a run that is complete, and warns when it cannot.
void remove_checkpoint(const std::filesystem::path& path);

// The input words, one after the other. Throws as open_ciphertexts(), and Error(invalid_argument)
// for another number of bits than a word has.
std::vector<Ciphertext> load_inputs(const RunCommandOptions& options, const Netlist& netlist,
                                    const PublicKey& key, const Session& session);

// Throws Error(invalid_argument) for outputs that nobody could read: they are not worth hours of
// work.
void require_savable_outputs(const RunCommandOptions& options, const Netlist& netlist,
                             const PublicKey& key, const ReadLimits& limits);

// Saves the outputs of a run where they go, removes its checkpoint, and reports.
Report finished_run(const RunCommandOptions& options,
                    const std::vector<std::filesystem::path>& outputs, const Netlist& netlist,
                    const CircuitResult& result, const Evaluator& evaluator,
                    const Session& session);

// What a file holds: a circuit, or the program that was compiled of one.
struct RunnableCircuit {
  Netlist netlist;  // has the words
  std::optional<CircuitProgram> program;
};

// Throws Error(invalid_argument) for a circuit with registers, and unless there is an input for
// each word.
RunnableCircuit load_combinational(const RunCommandOptions& options, const Session& session);

// The program, or that of the circuit for these inputs.
CircuitProgram program_for(const RunnableCircuit& circuit, const Evaluator& evaluator,
                           const std::vector<Ciphertext>& inputs, const Session& session);

// `fhe run --engine starpu`, on every process of the job. Throws
// Error(unsupported) where this build has no such engine.
Report run_on_cluster(const RunCommandOptions& options, Session& session);

// `fhe run --cycles`.
Report run_clocked_command(const RunCommandOptions& options, const ClockedCircuit& circuit,
                           Session& session);

}  // namespace fhe::cli
