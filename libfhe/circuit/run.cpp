// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/run.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "libfhe/circuit/checkpoint.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

// The values that a run starts from: the inputs, and what a checkpoint held.
RunState starting_values(std::vector<Ciphertext> inputs) {
  RunState state;
  for (Wire wire = 0; wire < inputs.size(); ++wire) {
    state.emplace_hint(state.end(), WireValue{wire, false}, std::move(inputs[wire]));
  }
  return state;
}

// Throws Error(invalid_argument) for values of a plan that leaves more noise than this one.
void require_noise_of_plan(const RunState& state, const RefreshPlan& plan,
                           NoiseBound refreshed_noise) {
  for (const auto& [name, value] : state) {
    if (value.noise() <= (name.refreshed ? refreshed_noise : plan.noise[name.wire])) continue;
    throw Error(
        ErrorCode::invalid_argument,
        "the checkpoint is of a run that recrypts elsewhere: go on with the program that it "
        "was made with, or start anew without it");
  }
}

// What a part starts from.
RunState taken_values(const CircuitPart& part, const PublicKey& key,
                      std::vector<Ciphertext> values) {
  if (values.size() != part.takes.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the part takes {} values, and {} were given", part.takes.size(),
                            values.size()));
  }
  RunState state;
  for (std::size_t i = 0; i < values.size(); ++i) {
    require_ciphertext_of(key.id(), key.modulus(), values[i]);
    state.insert_or_assign(part.takes[i], std::move(values[i]));
  }
  return state;
}

void require_noise_of_part(const Ciphertext& value, NoiseBound planned) {
  if (value.noise() <= planned) return;
  throw Error(ErrorCode::noise_exceeded,
              fmt::format("a value that the part takes has {:.1f} bits of noise, and the program "
                          "has at most {:.1f} there: recrypt it, or give what other parts gave",
                          value.noise().bits(), planned.bits()));
}

std::vector<Ciphertext> do_tasks(const TaskGraph& graph, const Netlist& circuit,
                                 const Evaluator& evaluator, std::span<const TaskIndex> tasks,
                                 std::span<const Ciphertext* const> operands,
                                 const Monitor& monitor) {
  const Task& first = graph.tasks()[tasks.front()];
  if (first.kind == TaskKind::recryption) {
    std::vector<Ciphertext> noisy;
    noisy.reserve(operands.size());
    for (const Ciphertext* c : operands) noisy.push_back(*c);
    return evaluator.refresh(noisy, monitor);
  }
  const Gate& gate = *circuit.driver(first.makes.wire);
  return {apply(evaluator, gate.kind,
                [&](std::size_t k) -> const Ciphertext& { return *operands[k]; })};
}

// What an execution does: the gates of the circuit and recryptions, which stop with the monitor,
// but report no progress of their own. The circuit and the evaluator must outlive it.
void set_work(Execution& execution, const Netlist& circuit, const Evaluator& evaluator,
              const Monitor& monitor) {
  const Monitor quiet{monitor.stop, {}};
  execution.together = KeyContext::kRecryptedTogether;
  execution.do_tasks = [&graph = execution.graph, &circuit, &evaluator, quiet](
                           const auto& tasks, const auto& operands) {
    return do_tasks(graph, circuit, evaluator, tasks, operands, quiet);
  };
}

class CircuitRun {
 public:
  CircuitRun(const CircuitProgram& program, const Evaluator& evaluator,
             const CircuitRunOptions& options, const Monitor& monitor)
      : program_(program), evaluator_(evaluator), options_(options), monitor_(monitor) {}

  CircuitResult run(std::vector<Ciphertext> inputs) {
    program_.require_runs_under(evaluator_);
    const PublicKey& key = evaluator_.public_key();
    for (const Ciphertext& c : inputs) require_ciphertext_of(key.id(), key.modulus(), c);
    CircuitResult result;
    result.plan = program_.plan_for(noise_bounds(inputs));
    if (options_.checkpoint) identity_ = {program_.circuit().digest(), digest_of(inputs)};
    RunState state = starting_values(std::move(inputs));
    if (executor().is_first()) result.resumed_values = take_checkpoint(state, result.plan);
    const TaskGraph graph = graph_of(names_of_first(state), result.plan);
    ExecutionResult done = execute(graph, std::move(state));
    result.outputs = std::move(done.outputs);
    result.recryptions = graph.count(TaskKind::recryption);
    result.peak_ciphertexts = done.peak_values;
    return result;
  }

 private:
  [[nodiscard]] NoiseBound refreshed_noise() const { return program_.keys().noise.refreshed; }

  // Returns how many values came from the checkpoint.
  std::size_t take_checkpoint(RunState& state, const RefreshPlan& plan) const {
    if (!options_.checkpoint || !options_.resume) return 0;
    RunState saved = load_checkpoint(*options_.checkpoint, identity_, program_.circuit().wires(),
                                     evaluator_.public_key(), options_.limits);
    require_noise_of_plan(saved, plan, refreshed_noise());
    const std::size_t count = saved.size();
    state.merge(saved);
    return count;
  }

  [[nodiscard]] const Executor& executor() const {
    static const auto* const local = new LocalExecutor;  // used until the end
    return options_.executor != nullptr ? *options_.executor : *local;
  }

  // What the run starts from, which only the first process of an executor knows.
  [[nodiscard]] std::vector<WireValue> names_of_first(const RunState& state) const {
    std::vector<WireValue> names;
    names.reserve(state.size());
    for (const auto& [name, value] : state) names.push_back(name);
    const auto bytes = std::as_bytes(std::span(names));
    const std::vector<std::byte> first = executor().from_first({bytes.begin(), bytes.end()});
    names.resize(first.size() / sizeof(WireValue));
    std::memcpy(names.data(), first.data(), first.size());
    return names;
  }

  [[nodiscard]] TaskGraph graph_of(const std::vector<WireValue>& present,
                                   const RefreshPlan& plan) const {
    return {program_.circuit(), plan, refreshed_noise(), present};
  }

  [[nodiscard]] std::optional<std::size_t> max_values() const {
    if (!options_.max_memory_bytes) return std::nullopt;
    return static_cast<std::size_t>(*options_.max_memory_bytes /
                                    ciphertext_bytes(evaluator_.public_key().modulus()));
  }

  ExecutionResult execute(const TaskGraph& graph, RunState state) {
    Execution execution{graph, {}, {}};
    execution.max_values = max_values();
    if (executor().is_first()) {
      for (const WireValue& name : graph.present()) {
        execution.present.push_back(std::move(state.at(name)));
      }
    }
    state.clear();
    set_work(execution, program_.circuit(), evaluator_, monitor_);
    std::optional<CheckpointFile> file;
    if (options_.checkpoint) execution.saving = saving_into(file, graph, execution.max_values);
    return executor().run(std::move(execution), monitor_);
  }

  // Saves into the checkpoint's file, which `file` becomes.
  SavePolicy saving_into(std::optional<CheckpointFile>& file, const TaskGraph& graph,
                         std::optional<std::size_t> max_values) const {
    const PublicKey& key = evaluator_.public_key();
    require_checkpoint_size(*options_.checkpoint,
                            graph.most_values(graph.window_within(max_values)), key,
                            options_.limits);
    file.emplace(*options_.checkpoint, identity_, key, options_.limits);
    const auto save = [&](const std::vector<LiveValue>& live) {
      std::vector<NamedValue> values;
      values.reserve(live.size());
      for (const auto& [value, ciphertext] : live) {
        values.push_back({graph.name(value), ciphertext});
      }
      std::ranges::sort(values, {}, &NamedValue::name);
      try_to_save(*file, values);
    };
    return {save, options_.checkpoint_interval};
  }

  void try_to_save(CheckpointFile& file, const std::vector<NamedValue>& values) const {
    try {
      file.save(values);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io || !options_.checkpoint_failed) throw;
      options_.checkpoint_failed(error);
    }
  }

  const CircuitProgram& program_;
  const Evaluator& evaluator_;
  const CircuitRunOptions& options_;
  const Monitor& monitor_;
  RunIdentity identity_;
};

}  // namespace

CircuitResult run_circuit(const CircuitProgram& program, const Evaluator& evaluator,
                          std::vector<Ciphertext> inputs, const CircuitRunOptions& options,
                          const Monitor& monitor) {
  return reporting_memory([&] {
    require_input_bits(program.circuit(), inputs.size());
    return CircuitRun(program, evaluator, options, monitor).run(std::move(inputs));
  });
}

CircuitResult run_circuit(const Netlist& netlist, const Evaluator& evaluator,
                          std::vector<Ciphertext> inputs, const CircuitRunOptions& options,
                          const Monitor& monitor) {
  return reporting_memory([&] {
    const CircuitProgram program =
        CircuitProgram::compile(netlist, evaluator, noise_bounds(inputs), monitor);
    return run_circuit(program, evaluator, std::move(inputs), options, monitor);
  });
}

std::vector<Ciphertext> run_part(const CircuitProgram& program, const Evaluator& evaluator,
                                 const CircuitPart& part, std::vector<Ciphertext> values,
                                 const Monitor& monitor) {
  return reporting_memory([&] {
    program.require_runs_under(evaluator);
    const NoiseBound refreshed_noise = program.keys().noise.refreshed;
    const TaskGraph graph(program.circuit(), program.plan(), refreshed_noise, part.takes,
                          part.gives);
    RunState state = taken_values(part, evaluator.public_key(), std::move(values));
    for (ValueIndex value = 0; value < graph.present().size(); ++value) {
      require_noise_of_part(state.at(graph.name(value)), graph.noise(value));
    }
    Execution execution{graph, {}, {}};
    for (const WireValue& name : graph.present()) {
      execution.present.push_back(std::move(state.at(name)));
    }
    set_work(execution, program.circuit(), evaluator, monitor);
    return LocalExecutor().run(std::move(execution), monitor).outputs;
  });
}

std::uint64_t ciphertext_bytes(const Integer& modulus) {
  return limbs_of(modulus).size() * sizeof(Limb) + 2 * sizeof(std::optional<Ciphertext>);
}

}  // namespace fhe
