// SPDX-License-Identifier: Apache-2.0
// `fhe circuit info`: what a circuit holds and what it will cost.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/ciphertext_facts.hpp"
#include "apps/cli/circuit_facts.hpp"
#include "apps/cli/command_line.hpp"
#include "apps/support/secrecy.hpp"
#include "libfhe/circuit/lower_degree.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/refresh_plan.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::cli {

namespace {

struct CircuitCommandOptions {
  std::string circuit;
  std::string parameters;
};

// Seconds of single operations, measured here and now under a key of the group.
struct OperationSeconds {
  double recryption = 0;
  double product = 0;
};

template <class Operation>
double seconds_of(const Operation& operation) {
  const auto start = std::chrono::steady_clock::now();
  operation();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

OperationSeconds measure(const Evaluator& evaluator, const Ciphertext& fresh,
                         const Monitor& monitor) {
  const Ciphertext refreshed = evaluator.recrypt(fresh, monitor);
  const auto recrypt = [&] { static_cast<void>(evaluator.recrypt(fresh, monitor)); };
  const auto multiply = [&] { static_cast<void>(evaluator.and_gate(refreshed, refreshed)); };
  return {std::min(seconds_of(recrypt), seconds_of(recrypt)),
          std::min(seconds_of(multiply), seconds_of(multiply))};
}

void add_costs(Report& report, const NetlistCosts& costs) {
  Json kinds;
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < kGateKinds; ++k) {
    if (costs.gates.at(k) == 0) continue;
    const std::string name(to_string(static_cast<GateKind>(k)));
    kinds[name] = costs.gates.at(k);
    texts.push_back(fmt::format("{} {}", costs.gates.at(k), name));
  }
  report.json["gates"] = kinds;
  report.json["ands"] = costs.products;
  report.json["and_depth"] = costs.and_depth;
  report.json["depth"] = costs.depth;
  report.text += fmt::format("gates      {}\nANDs       {}\nAND depth  {}\n",
                             fmt::join(texts, ", "), costs.products, costs.and_depth);
}

std::string for_each_and(std::size_t recryptions, std::size_t ands) {
  if (ands == 0) return "";
  return fmt::format(", {:.2f} for each AND",
                     static_cast<double>(recryptions) / static_cast<double>(ands));
}

void add_prediction(Report& report, const Netlist& netlist, const CircuitCommandOptions& options,
                    Session& session) {
  apps::keep_memory_private();
  const BackendPtr backend = session.backend();
  const KeyPair keys =
      KeyGenerator(ParameterSet::resolve(options.parameters), backend).generate(session.monitor());
  const Evaluator evaluator(keys.public_key, backend);
  const NoiseModel model = NoiseModel::of(evaluator.key());
  const Netlist simple = with_lower_degree(netlist);
  const RefreshPlan plan = plan_refreshes(
      simple, model, std::vector<NoiseBound>(simple.input_bits(), model.fresh), session.monitor());
  const OperationSeconds each =
      measure(evaluator, Encryptor(keys.public_key, backend).encrypt(true), session.monitor());
  const double seconds = static_cast<double>(plan.recryptions) * each.recryption +
                         static_cast<double>(costs(simple).products) * each.product;
  report.json["prediction"] = {{"params", keys.public_key.parameters().name()},
                               {"recryptions", plan.recryptions},
                               {"recryptions_lower_bound", plan.lower_bound},
                               {"recryptions_gate_by_gate", plan.gate_by_gate},
                               {"backend", backend->info().name},
                               {"seconds", seconds}};
  report.text += fmt::format(
      "under {}, from new ciphertexts: {}{} (no plan needs fewer than {}; gate by gate: {}), about "
      "{:.1f} s on this machine\n",
      keys.public_key.parameters().name(), counted(plan.recryptions, "recryption"),
      for_each_and(plan.recryptions, costs(simple).products), plan.lower_bound, plan.gate_by_gate,
      seconds);
}

Report info(const CircuitCommandOptions& options, Session& session) {
  const Netlist netlist = load_netlist(options.circuit, session.circuit_limits());
  Report report;
  report.json = {{"circuit", options.circuit},
                 {"inputs", words_json(netlist.inputs())},
                 {"outputs", words_json(netlist.outputs())}};
  report.text = fmt::format("inputs     {}\noutputs    {}\n", words_text(netlist.inputs()),
                            words_text(netlist.outputs()));
  add_costs(report, costs(netlist));
  if (!options.parameters.empty()) add_prediction(report, netlist, options, session);
  return report;
}

}  // namespace

void add_circuit_commands(CommandLine& line) {
  const std::string example = "fhe circuit info adder.blif --params cnt-toy";
  const apps::Command group =
      line.add_group("circuit", "Tell what a circuit holds and costs", example);
  const auto options = std::make_shared<CircuitCommandOptions>();
  const apps::Command command =
      line.add_command(group, "info", "Count gates and depth; predict recryptions and time",
                       example, [options](Session& session) { return info(*options, session); });
  command
      .option("FILE", options->circuit,
              "Circuit: BLIF when its name ends in .blif, Bristol Fashion otherwise")
      .value_name("")
      .required();
  command
      .option("--params", options->parameters,
              "Parameter group to predict for: makes a key of it and measures")
      .value_name("GROUP");
  line.add_computing_options(command);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
