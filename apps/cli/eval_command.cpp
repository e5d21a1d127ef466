// SPDX-License-Identifier: Apache-2.0
// `fhe eval`: one gate, bit by bit, over files of ciphertexts.
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/ciphertext_facts.hpp"
#include "apps/cli/command_line.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/object_input.hpp"
#include "apps/support/file_checks.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/files.hpp"

namespace fhe::cli {

namespace {

// The ciphertexts of one input file; input k of the gate on bit i is columns[k][i].
using Column = std::vector<Ciphertext>;

struct EvalCommandOptions {
  std::string key;
  std::string gate;
  std::vector<std::string> inputs;
  std::string output;
  std::string refresh = "automatic";
};

void require_input_count(const NamedGate& gate, std::size_t given) {
  if (given == gate.inputs) return;
  throw Error(ErrorCode::invalid_argument, fmt::format("gate '{}' takes {}, not {}", gate.name,
                                                       counted(gate.inputs, "input"), given));
}

std::vector<Column> load_columns(const EvalCommandOptions& options, const PublicKey& key,
                                 const Session& session) {
  std::vector<Column> columns;
  for (const std::string& path : options.inputs) {
    columns.push_back(open_ciphertexts(path, key, session));
    if (columns.back().size() == columns.front().size()) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} holds {} and {} holds {}: a gate needs equally many",
                            options.inputs.front(), counted(columns.front().size(), "bit"), path,
                            counted(columns.back().size(), "bit")));
  }
  return columns;
}

RefreshPolicy policy_named(const std::string& name) {
  return name == "never" ? RefreshPolicy::never() : RefreshPolicy::automatic();
}

std::vector<Ciphertext> apply(const NamedGate& gate, const Evaluator& evaluator,
                              const std::vector<Column>& columns, Session& session) {
  const std::size_t count = columns.front().size();
  std::vector<Ciphertext> results;
  results.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    session.monitor().throw_if_stopped();
    session.progress().update("gates", static_cast<double>(i) / static_cast<double>(count));
    std::vector<Ciphertext> operands;
    operands.reserve(columns.size());
    for (const Column& column : columns) operands.push_back(column[i]);
    results.push_back(gate.apply(evaluator, operands));
  }
  session.monitor().throw_if_stopped();
  return results;
}

Report eval(const EvalCommandOptions& options, Session& session) {
  const NamedGate& gate = gate_named(options.gate);
  require_input_count(gate, options.inputs.size());
  const std::filesystem::path out = apps::require_ciphertext_output(options.output);
  const PublicKey key = open_public_key(options.key, session);
  const std::vector<Column> columns = load_columns(options, key, session);
  session.monitor().throw_if_stopped();
  const Evaluator evaluator(key, session.backend(), policy_named(options.refresh), {},
                            session.monitor());
  const std::vector<Ciphertext> results = apply(gate, evaluator, columns, session);
  save(out, results, key, session.limits());
  const GateCounts counts = evaluator.counts();
  Report report;
  report.to_standard_error = apps::is_standard_output(out);
  report.json = {{"out", options.output},
                 {"gate", gate.name},
                 {"ciphertexts", results.size()},
                 {"gates", counts.gates},
                 {"products", counts.products},
                 {"recryptions", counts.recryptions},
                 {"noise_bound_bits", largest_noise(results).bits()},
                 {"seconds", session.seconds()}};
  report.text =
      fmt::format("{} on {}: {}, noise below 2^{:.1f}\n{}, {}, {}, {:.2f} s\n", gate.name,
                  counted(results.size(), "bit"), options.output, largest_noise(results).bits(),
                  counted(counts.gates, "gate"), counted(counts.products, "product"),
                  counted(counts.recryptions, "recryption"), session.seconds());
  return report;
}

std::string gate_names() {
  std::vector<std::string> names;
  for (const NamedGate& gate : named_gates()) {
    names.push_back(fmt::format("{} ({})", gate.name, gate.inputs));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void add_eval_command(CommandLine& line) {
  const auto options = std::make_shared<EvalCommandOptions>();
  const apps::Command command =
      line.add_command(line.root(), "eval", "Apply a gate bit by bit to files of ciphertexts",
                       "fhe eval --key keys/public.fhe and a.fhe b.fhe --out c.fhe",
                       [options](Session& session) { return eval(*options, session); });
  command.option("--key", options->key, "Public key").value_name("FILE").required();
  command
      .option("GATE", options->gate,
              "Gate and its number of inputs: " + gate_names() + "; mux: select first")
      .value_name("")
      .required();
  command
      .option("INPUT", options->inputs,
              "Files of ciphertexts, one for each input of the gate, of equally many bits")
      .value_name("")
      .required();
  command.option("--out", options->output, "File for the results; - for standard output")
      .value_name("FILE")
      .required();
  command
      .option("--refresh", options->refresh,
              "What to do when an operand is too noisy: recrypt it (automatic) or fail (never)")
      .value_name("WHEN")
      .one_of({"automatic", "never"})
      .shows_default();
  line.add_computing_options(command);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
