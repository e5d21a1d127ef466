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
#include "libfhe/circuit/run.hpp"
#include "libfhe/error.hpp"

namespace fhe::cli {

struct RunCommandOptions {
  std::string circuit;
  bool plain = false;
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
                                                   std::span<const OutputWord> outputs);

CircuitRunOptions run_options(const RunCommandOptions& options, const ReadLimits& limits);

// Removes the checkpoint of a run that is complete, and warns when it cannot.
void remove_checkpoint(const std::filesystem::path& path);

// `fhe run --cycles`.
Report run_clocked_command(const RunCommandOptions& options, const ClockedCircuit& circuit,
                           Session& session);

}  // namespace fhe::cli
