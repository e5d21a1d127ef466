// SPDX-License-Identifier: Apache-2.0
// `fhe run --engine starpu`: the first process of the job reads and writes files and reports, the
// others get from it what they need.
#include <cstring>
#include <exception>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/key_files.hpp"
#include "apps/cli/run_command.hpp"
#include "apps/support/failure.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/cluster/starpu_executor.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/files.hpp"

namespace fhe::cli {

namespace {

// What all processes of a job must have been told alike.
std::string told(const RunCommandOptions& options, const Session& session) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", FHE_VERSION, options.circuit, options.key,
                     fmt::join(options.inputs, ","), fmt::join(options.outputs, ","),
                     options.checkpoint, options.resume, session.backend()->info().name);
}

// Whose noise is known and whose values are those of the first process.
std::vector<Ciphertext> noise_only(const std::vector<std::byte>& units, const PublicKey& key) {
  std::vector<std::uint32_t> bounds(units.size() / sizeof(std::uint32_t));
  std::memcpy(bounds.data(), units.data(), units.size());
  std::vector<Ciphertext> inputs;
  for (const std::uint32_t bound : bounds) {
    inputs.emplace_back(Integer(0), NoiseBound::from_units(bound), key.id());
  }
  return inputs;
}

std::vector<std::byte> noise_units(const std::vector<Ciphertext>& inputs) {
  std::vector<std::uint32_t> units;
  for (const Ciphertext& c : inputs) units.push_back(c.noise().units());
  const auto bytes = std::as_bytes(std::span(units));
  return {bytes.begin(), bytes.end()};
}

CircuitResult run_program(const Cluster& cluster, const CircuitProgram& program,
                          const Evaluator& evaluator, std::vector<Ciphertext> inputs,
                          const RunCommandOptions& options, const Session& session,
                          const Monitor& monitor) {
  const PublicKey& key = evaluator.public_key();
  const StarpuExecutor executor(cluster, key.id(), limbs_of(key.modulus()).size());
  CircuitRunOptions run = run_options(options, session.limits());
  run.executor = &executor;
  return run_circuit(program, evaluator, std::move(inputs), run, monitor);
}

Report run_first(const Cluster& cluster, const RunCommandOptions& options, Session& session) {
  const RunnableCircuit circuit = load_combinational(options, session);
  const Netlist& netlist = circuit.netlist;
  const std::vector<std::filesystem::path> outputs = checked_outputs(options, netlist.outputs());
  const PublicKey key = open_public_key(options.key, session);
  require_savable_outputs(options, netlist, key, session.limits());
  std::vector<Ciphertext> inputs = load_inputs(options, netlist, key, session);
  const Evaluator evaluator(key, session.backend());
  const CircuitProgram program = program_for(circuit, evaluator, inputs, session);
  static_cast<void>(cluster.bytes_of_first(to_bytes(key)));
  static_cast<void>(cluster.bytes_of_first(to_bytes(program, session.limits())));
  static_cast<void>(cluster.bytes_of_first(noise_units(inputs)));
  const CircuitResult result = run_program(cluster, program, evaluator, std::move(inputs), options,
                                           session, session.monitor());
  Report report = finished_run(options, outputs, netlist, result, evaluator, session);
  report.json["ranks"] = cluster.ranks();
  report.json["workers"] = cluster.ranks() * cluster.workers();
  return report;
}

Report run_other(const Cluster& cluster, const RunCommandOptions& options, Session& session) {
  const PublicKey key = load_public_key(cluster.bytes_of_first({}), session.limits());
  const CircuitProgram program = load_program(cluster.bytes_of_first({}), session.limits());
  std::vector<Ciphertext> inputs = noise_only(cluster.bytes_of_first({}), key);
  const Evaluator evaluator(key, session.backend());
  const Monitor quiet{session.monitor().stop, {}};
  static_cast<void>(
      run_program(cluster, program, evaluator, std::move(inputs), options, session, quiet));
  Report report;
  report.is_of_another = true;
  return report;
}

}  // namespace

Report run_on_cluster(const RunCommandOptions& options, Session& session) {
  const Cluster cluster(thread_count());
  try {
    cluster.require_same(told(options, session), "the version or the arguments");
    return cluster.is_first() ? run_first(cluster, options, session)
                              : run_other(cluster, options, session);
  } catch (...) {
    const apps::Failure failure = apps::describe(std::current_exception());
    session.progress().clear();
    std::fprintf(stderr, "fhe: error: rank %zu: %s%s\n", cluster.rank(), failure.message.c_str(),
                 options.checkpoint.empty() ? "" : " (go on with --resume)");
    cluster.end_all(static_cast<int>(failure.exit_code));
  }
}

}  // namespace fhe::cli
