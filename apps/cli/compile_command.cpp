// SPDX-License-Identifier: Apache-2.0
// `fhe circuit compile`: a circuit with its plan, as a file that `fhe run` takes.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/support/file_checks.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/gate/evaluator.hpp"

namespace fhe::cli {

namespace {

struct CompileCommandOptions {
  std::string circuit;
  std::string key;
  std::string output;
  std::optional<double> noise;
};

constexpr double kMostNoiseBits = 1 << 20;

Report compile(const CompileCommandOptions& options, Session& session) {
  const std::filesystem::path out = apps::require_ciphertext_output(options.output);
  const Netlist netlist =
      load_netlist(open_circuit(options.circuit, session).source(), session.circuit_limits());
  const PublicKey key = open_public_key(options.key, session);
  const Evaluator evaluator(key, session.backend());
  const NoiseBound noise =
      options.noise ? NoiseBound::from_bits(*options.noise) : evaluator.key().fresh_noise();
  const CircuitProgram program = CircuitProgram::compile(
      netlist, evaluator, std::vector(netlist.input_bits(), noise), session.monitor());
  save(out, program, session.limits());
  Report report = program_report(program);
  report.to_standard_error = apps::is_standard_output(out);
  report.json["out"] = options.output;
  report.text = fmt::format("{}\n{}", options.output, report.text);
  return report;
}

}  // namespace

void add_compile_command(CommandLine& line, const apps::Command& circuit) {
  const auto options = std::make_shared<CompileCommandOptions>();
  const apps::Command command = line.add_command(
      circuit, "compile", "Plan a circuit once, for many runs",
      "fhe circuit compile adder.blif --key keys/public.fhe --out adder.fhe\n"
      "  fhe run adder.fhe --key keys/public.fhe --input a.fhe --input b.fhe --out sum.fhe\n\n"
      "It runs under all keys of the group, on inputs with at most the noise it was planned for.",
      [options](Session& session) { return compile(*options, session); });
  command.option("FILE", options->circuit, kCircuitFormats).value_name("").required();
  command.option("--key", options->key, "A public key of the group").value_name("FILE").required();
  command.option("--out", options->output, "File for the program; - for standard output")
      .value_name("FILE")
      .required();
  command
      .option(
          "--noise", options->noise,
          "Most noise of the input bits, in bits, as `fhe inspect` shows it; without it, that of "
          "new encryptions by the public key")
      .value_name("BITS")
      .in_range(0.0, kMostNoiseBits);
  line.add_computing_options(command);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
