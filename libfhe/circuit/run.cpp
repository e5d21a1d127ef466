// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/run.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/checkpoint.hpp"
#include "libfhe/circuit/lower_degree.hpp"
#include "libfhe/circuit/schedule.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

// How long operations take, in units of a sum: shares of the progress, measured at several sizes.
constexpr std::size_t kProductSteps = 16;
constexpr std::size_t kRecryptionSteps = 1000;

std::vector<NoiseBound> noise_of(const std::vector<Ciphertext>& inputs) {
  std::vector<NoiseBound> noise;
  noise.reserve(inputs.size());
  for (const Ciphertext& c : inputs) noise.push_back(c.noise());
  return noise;
}

class CircuitRun {
 public:
  CircuitRun(const Netlist& netlist, const Evaluator& evaluator, const CircuitRunOptions& options,
             const Monitor& monitor)
      : netlist_(netlist),
        key_(evaluator.public_key()),
        evaluator_(evaluator),
        options_(options),
        monitor_(monitor),
        raw_(netlist.wires()),
        refreshed_(netlist.wires()) {
    quiet_.stop = monitor.stop;
  }

  CircuitResult run(std::vector<Ciphertext> inputs) {
    CircuitResult result;
    result.plan =
        plan_refreshes(netlist_, NoiseModel::of(evaluator_.key()), noise_of(inputs), monitor_);
    result.resumed_values = take_values(std::move(inputs));
    const Schedule schedule =
        make_schedule(netlist_, result.plan.refreshed, present_, max_values());
    drop_unused(schedule);
    if (options_.checkpoint) {
      require_checkpoint_size(*options_.checkpoint, most_saved_values(schedule), key_,
                              options_.limits);
    }
    Progress progress(monitor_, "circuit", total_steps(schedule));
    for (const Batch& batch : schedule.batches) run_batch(batch, result.plan, progress);
    result.outputs = take_outputs(result.plan);
    result.recryptions = schedule.recryptions;
    result.batches = schedule.batches.size();
    result.peak_ciphertexts = schedule.peak_values;
    return result;
  }

 private:
  using Slot = std::optional<Ciphertext>;

  [[nodiscard]] Slot& value(const WireValue& name) {
    return name.refreshed ? refreshed_[name.wire] : raw_[name.wire];
  }

  [[nodiscard]] std::optional<std::size_t> max_values() const {
    if (!options_.max_memory_bytes) return std::nullopt;
    return static_cast<std::size_t>(*options_.max_memory_bytes / ciphertext_bytes(key_.modulus()));
  }

  // Puts inputs and checkpoint in their places; returns how many came from the checkpoint.
  std::size_t take_values(std::vector<Ciphertext> inputs) {
    for (const Ciphertext& c : inputs) require_ciphertext_of(key_.id(), key_.modulus(), c);
    if (options_.checkpoint) identity_ = {netlist_.digest(), digest_of(inputs)};
    for (Wire wire = 0; wire < inputs.size(); ++wire) {
      raw_[wire] = std::move(inputs[wire]);
      present_.push_back({wire, false});
    }
    if (!options_.checkpoint || !options_.resume) return 0;
    RunState state =
        load_checkpoint(*options_.checkpoint, identity_, netlist_.wires(), key_, options_.limits);
    for (std::size_t i = 0; i < state.names.size(); ++i) {
      value(state.names[i]) = std::move(state.values[i]);
      present_.push_back(state.names[i]);
    }
    return state.names.size();
  }

  // Moves the outputs out; a wire that is an output twice is copied.
  std::vector<Ciphertext> take_outputs(const RefreshPlan& plan) {
    std::vector<Ciphertext> outputs;
    std::map<Wire, std::size_t> taken;
    for (const Wire wire : netlist_.output_wires()) {
      const auto [place, is_new] = taken.try_emplace(wire, outputs.size());
      outputs.push_back(is_new ? *std::move(value(value_in_use(wire, plan.refreshed)))
                               : outputs[place->second]);
    }
    return outputs;
  }

  // Forgets inputs that nothing uses, or nothing any more.
  void drop_unused(const Schedule& schedule) {
    for (const WireValue& name : schedule.unused) value(name).reset();
  }

  [[nodiscard]] bool is_product_gate(const WireValue& made) const {
    const Gate* const gate = netlist_.driver(made.wire);
    return !made.refreshed && gate != nullptr && is_product(gate->kind);
  }

  [[nodiscard]] std::size_t steps(const WireValue& made) const {
    if (made.refreshed) return kRecryptionSteps;
    return is_product_gate(made) ? kProductSteps : 1;
  }

  [[nodiscard]] std::size_t total_steps(const Schedule& schedule) const {
    std::size_t total = 0;
    for (const Batch& batch : schedule.batches) {
      for (const WireValue& made : batch.operations) total += steps(made);
    }
    return total;
  }

  void run_batch(const Batch& batch, const RefreshPlan& plan, Progress& progress) {
    monitor_.throw_if_stopped();
    const std::vector<Task> tasks = tasks_of(batch);
    parallel_for(tasks.size(), [&](std::size_t i) { run_task(tasks[i], plan, progress); });
    for (const WireValue& name : batch.dead) value(name).reset();
    if (!options_.checkpoint) return;
    if (is_costly(batch)) save_values();
  }

  // Whether what the batch makes is worth saving.
  [[nodiscard]] bool is_costly(const Batch& batch) const {
    return std::ranges::any_of(batch.operations, [&](const WireValue& made) {
      return made.refreshed || is_product_gate(made);
    });
  }

  // How many values the largest checkpoint will hold.
  [[nodiscard]] std::size_t most_saved_values(const Schedule& schedule) const {
    const auto is_there = [](const Slot& slot) { return slot.has_value(); };
    auto values = static_cast<std::size_t>(std::ranges::count_if(raw_, is_there) +
                                           std::ranges::count_if(refreshed_, is_there));
    std::size_t most = 0;
    for (const Batch& batch : schedule.batches) {
      values += batch.operations.size();
      values -= batch.dead.size();
      if (is_costly(batch)) most = std::max(most, values);
    }
    return most;
  }

  // What one thread starts: a gate, or some recryptions, which are faster together.
  using Task = std::vector<WireValue>;

  // The recryptions in as many tasks as there are threads, or as many as hold kRecryptedTogether
  // each.
  static std::vector<Task> tasks_of(const Batch& batch) {
    std::vector<Task> tasks;
    Task refreshes;
    for (const WireValue& made : batch.operations) {
      if (made.refreshed) {
        refreshes.push_back(made);
      } else {
        tasks.push_back({made});
      }
    }
    if (refreshes.empty()) return tasks;
    const std::size_t count = std::max(std::min(thread_count(), refreshes.size()),
                                       (refreshes.size() - 1) / KeyContext::kRecryptedTogether + 1);
    for (std::size_t t = 0; t < count; ++t) {
      const auto at = [&](std::size_t part) {
        return refreshes.begin() + static_cast<std::ptrdiff_t>(part * refreshes.size() / count);
      };
      tasks.emplace_back(at(t), at(t + 1));
    }
    return tasks;
  }

  void run_task(const Task& task, const RefreshPlan& plan, Progress& progress) {
    if (!task.front().refreshed) {
      value(task.front()) = compute(task.front(), plan);
      return progress.advance(steps(task.front()));
    }
    std::vector<Ciphertext> noisy;
    for (const WireValue& made : task) noisy.push_back(*raw_[made.wire]);
    std::vector<Ciphertext> refreshed = evaluator_.refresh(noisy, quiet_);
    for (std::size_t i = 0; i < task.size(); ++i) value(task[i]) = std::move(refreshed[i]);
    progress.advance(task.size() * kRecryptionSteps);
  }

  // The value of a gate.
  [[nodiscard]] Ciphertext compute(const WireValue& made, const RefreshPlan& plan) {
    const Gate& gate = *netlist_.driver(made.wire);
    return apply(evaluator_, gate.kind, [&](std::size_t k) -> const Ciphertext& {
      return *value(value_in_use(gate.inputs.at(k), plan.refreshed));
    });
  }

  void try_to_save(const RunState& state) {
    try {
      save_checkpoint(*options_.checkpoint, identity_, state, key_, options_.limits);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io || !options_.checkpoint_failed) throw;
      options_.checkpoint_failed(error);
    }
  }

  // The values move into the file's list and back, so that they are not in memory twice.
  void save_values() {
    RunState state;
    for (Wire wire = 0; wire < netlist_.wires(); ++wire) {
      for (const bool refreshed : {false, true}) {
        Slot& kept = value({wire, refreshed});
        if (!kept) continue;
        state.names.push_back({wire, refreshed});
        state.values.push_back(*std::move(kept));
      }
    }
    try_to_save(state);
    for (std::size_t i = 0; i < state.names.size(); ++i) {
      value(state.names[i]) = std::move(state.values[i]);
    }
  }

  const Netlist& netlist_;
  const PublicKey& key_;
  const Evaluator& evaluator_;
  const CircuitRunOptions& options_;
  const Monitor& monitor_;
  Monitor quiet_;          // for recryptions: stops, but reports no progress of its own
  std::vector<Slot> raw_;  // by wire
  std::vector<Slot> refreshed_;
  std::vector<WireValue> present_;
  RunIdentity identity_;
};

}  // namespace

CircuitResult run_circuit(const Netlist& netlist, const Evaluator& evaluator,
                          std::vector<Ciphertext> inputs, const CircuitRunOptions& options,
                          const Monitor& monitor) {
  return reporting_memory([&] {
    require_input_bits(netlist, inputs.size());
    const Netlist simple = with_lower_degree(netlist);
    return CircuitRun(simple, evaluator, options, monitor).run(std::move(inputs));
  });
}

std::uint64_t ciphertext_bytes(const Integer& modulus) {
  return limbs_of(modulus).size() * sizeof(Limb) + 2 * sizeof(std::optional<Ciphertext>);
}

}  // namespace fhe
