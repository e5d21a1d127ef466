// SPDX-License-Identifier: Apache-2.0
// `fhe circuit info`: what a circuit holds and what it will cost, in each cycle if it has
// registers.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "apps/support/secrecy.hpp"
#include "libfhe/circuit/lower_degree.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/circuit/run_clocked.hpp"
#include "libfhe/error.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/sizes.hpp"

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
  Json kinds = Json::object();
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

// What a circuit takes from inputs of one kind.
struct Prediction {
  CyclePlan plan;
  double seconds;
};

Json prediction_json(const Prediction& prediction, std::size_t slots) {
  return {{"recryptions", prediction.plan.recryptions},
          {"recryptions_lower_bound", prediction.plan.step.lower_bound},
          {"recryptions_gate_by_gate", prediction.plan.step.gate_by_gate},
          {"seconds", prediction.seconds},
          {"seconds_per_slot", prediction.seconds / static_cast<double>(slots)}};
}

std::string prediction_text(const Prediction& prediction, std::size_t ands, std::size_t slots) {
  return fmt::format("{}{} (no plan needs fewer than {}; gate by gate: {}), about {:.1f} s{}\n",
                     counted(prediction.plan.recryptions, "recryption"),
                     for_each_and(prediction.plan.recryptions, ands),
                     prediction.plan.step.lower_bound, prediction.plan.step.gate_by_gate,
                     prediction.seconds, seconds_by_slot(prediction.seconds, slots));
}

// A circuit under a key that is made for it, and what its operations take on this machine.
class Predictor {
 public:
  Predictor(const ClockedCircuit& circuit, const CircuitCommandOptions& options,
            const Session& session)
      : circuit_(circuit),
        ands_(costs(with_lower_degree(circuit.step())).products),
        monitor_(session.monitor()),
        backend_(session.backend()),
        keys_(KeyGenerator(ParameterSet::resolve(options.parameters), backend_).generate(monitor_)),
        evaluator_(keys_.public_key, backend_),
        each_(measure(evaluator_, Encryptor(keys_.public_key, backend_).encrypt(true), monitor_)) {}

  [[nodiscard]] Prediction from_inputs_of(NoiseBound noise) const {
    const CyclePlan plan =
        plan_cycle(circuit_, NoiseModel::of(evaluator_.key()),
                   std::vector<NoiseBound>(circuit_.input_bits(), noise), monitor_);
    return {plan, static_cast<double>(plan.recryptions) * each_.recryption +
                      static_cast<double>(ands_) * each_.product};
  }

  [[nodiscard]] NoiseBound fresh_noise() const { return evaluator_.key().fresh_noise(); }
  // Of what the owner encrypts; nothing where the scheme has no such encryption.
  [[nodiscard]] std::optional<NoiseBound> owner_noise() const {
    if (!sizes_of(keys_.public_key.parameters())->compressed_bits) return std::nullopt;
    return SecretEncryptor(keys_.secret_key).encrypt({true}).noise();
  }
  [[nodiscard]] std::size_t ands() const { return ands_; }
  [[nodiscard]] std::size_t slots() const { return keys_.public_key.slots(); }
  // What the predictions are for, behind the name of a place.
  [[nodiscard]] std::string_view unit() const {
    return circuit_.registers() > 0 ? ", in each cycle" : "";
  }
  [[nodiscard]] std::string group() const { return keys_.public_key.parameters().name(); }
  [[nodiscard]] std::string backend() const { return backend_->info().name; }

 private:
  const ClockedCircuit& circuit_;
  std::size_t ands_;
  const Monitor& monitor_;
  BackendPtr backend_;
  KeyPair keys_;
  Evaluator evaluator_;
  OperationSeconds each_;
};

void add_prediction(Report& report, const Predictor& predictor) {
  const Prediction fresh = predictor.from_inputs_of(predictor.fresh_noise());
  const std::size_t slots = predictor.slots();
  Json json = prediction_json(fresh, slots);
  json["slots"] = slots;
  json["params"] = predictor.group();
  json["backend"] = predictor.backend();
  report.text +=
      fmt::format("under {}, on this machine{}\n  from new ciphertexts: {}", predictor.group(),
                  predictor.unit(), prediction_text(fresh, predictor.ands(), slots));
  if (const auto noise = predictor.owner_noise()) {
    const Prediction own = predictor.from_inputs_of(*noise);
    json["from_owner"] = prediction_json(own, slots);
    report.text +=
        fmt::format("  from the key's owner: {}", prediction_text(own, predictor.ands(), slots));
  }
  report.json["prediction"] = std::move(json);
}

// What is planned already needs no key to be measured under.
Report program_info(const Source& source, const CircuitCommandOptions& options,
                    const Session& session) {
  if (!options.parameters.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "a program is for one parameter group already: leave out --params");
  }
  const CircuitProgram program = load_program(source, session.limits());
  Report report = program_report(program);
  report.json["circuit"] = options.circuit;
  return report;
}

Report info(const CircuitCommandOptions& options, Session& session) {
  const KeptObject object = open_circuit(options.circuit, session);
  if (holds_program(object.source())) return program_info(object.source(), options, session);
  const ClockedCircuit circuit = load_circuit(object.source(), session.circuit_limits());
  Report report;
  report.json = {{"circuit", options.circuit},
                 {"inputs", words_json(circuit.inputs())},
                 {"outputs", words_json(circuit.outputs())},
                 {"registers", circuit.registers()}};
  report.text = fmt::format("inputs     {}\noutputs    {}\n", words_text(circuit.inputs()),
                            words_text(circuit.outputs()));
  if (circuit.registers() > 0) {
    report.text +=
        fmt::format("registers  {}; what follows is for one cycle\n", circuit.registers());
  }
  add_costs(report, costs(circuit.step()));
  if (!options.parameters.empty()) {
    apps::keep_memory_private();
    add_prediction(report, Predictor(circuit, options, session));
  }
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
  command.option("FILE", options->circuit, kCircuitFormats).value_name("").required();
  command
      .option("--params", options->parameters,
              "Parameter group to predict for: makes a key of it and measures")
      .value_name("GROUP");
  line.add_computing_options(command);
  line.add_limit_options(command);
  add_compile_command(line, group);
}

}  // namespace fhe::cli
