// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/run_clocked.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "libfhe/circuit/checkpoint.hpp"
#include "libfhe/circuit/lower_degree.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

// The wires of a step that registers take next, without the others.
std::span<const Wire> next_wires(const Netlist& step, std::size_t registers) {
  if (registers == 0) return {};
  return step.outputs().back().wires;
}

// With registers that begin with as much noise as `state`.
CyclePlan plan_with(const Netlist& step, std::size_t registers, NoiseBound state,
                    const NoiseModel& model, std::vector<NoiseBound> inputs,
                    const Monitor& monitor) {
  inputs.insert(inputs.end(), registers, state);
  CyclePlan plan{plan_refreshes(step, model, inputs, monitor), state};
  std::set<Wire> noisy;
  for (const Wire wire : next_wires(step, registers)) {
    if (!plan.step.refreshed[wire] && plan.step.noise[wire] > state) noisy.insert(wire);
  }
  plan.recryptions = plan.step.recryptions + noisy.size();
  return plan;
}

CyclePlan plan_of_step(const Netlist& step, std::size_t registers, const NoiseModel& model,
                       const std::vector<NoiseBound>& inputs, const Monitor& monitor) {
  CyclePlan low = plan_with(step, registers, model.refreshed, model, inputs, monitor);
  if (registers == 0) return low;
  CyclePlan high = plan_with(step, registers, model.rule.refresh_limit, model, inputs, monitor);
  return high.recryptions < low.recryptions ? high : low;
}

// Input words of all cycles.
class CycleInputs {
 public:
  CycleInputs(const ClockedCircuit& circuit, std::vector<std::vector<Ciphertext>> words,
              std::size_t cycles)
      : words_(std::move(words)), cycles_(cycles) {
    const auto inputs = circuit.inputs();
    if (words_.size() != inputs.size()) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("the circuit takes {} input words, not {}", inputs.size(), words_.size()));
    }
    for (std::size_t i = 0; i < words_.size(); ++i) {
      widths_.push_back(inputs[i].width);
      const std::size_t given = words_[i].size();
      if (given == widths_[i] || (given % cycles == 0 && given / cycles == widths_[i])) continue;
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("input '{}' takes {} bits for all cycles, or {} for each of {} "
                              "cycles, and has {}",
                              inputs[i].name, widths_[i], widths_[i], cycles, given));
    }
  }

  [[nodiscard]] Digest digest() const {
    Hasher hasher;
    for (const auto& word : words_) hasher.update(digest_of(word));
    return hasher.finish();
  }

  // Of the bits of the first cycle.
  [[nodiscard]] std::vector<NoiseBound> first_noise() const {
    std::vector<NoiseBound> noise;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::size_t k = 0; k < widths_[i]; ++k) noise.push_back(words_[i][k].noise());
    }
    return noise;
  }

  // The bits of a cycle, word after word. What no later cycle needs is dropped.
  [[nodiscard]] std::vector<Ciphertext> take(std::size_t cycle) {
    std::vector<Ciphertext> bits;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const bool is_held = words_[i].size() == widths_[i];
      const auto first =
          words_[i].begin() + static_cast<std::ptrdiff_t>(is_held ? 0 : cycle * widths_[i]);
      const auto end = first + static_cast<std::ptrdiff_t>(widths_[i]);
      if (is_held && cycle + 1 < cycles_) {
        bits.insert(bits.end(), first, end);
      } else {
        std::move(first, end, std::back_inserter(bits));
      }
    }
    return bits;
  }

  // How many ciphertexts are kept for later cycles than this one.
  [[nodiscard]] std::size_t kept_behind(std::size_t cycle) const {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const bool is_held = words_[i].size() == widths_[i];
      kept += is_held ? (cycle + 1 < cycles_ ? widths_[i] : 0) : (cycles_ - cycle - 1) * widths_[i];
    }
    return kept;
  }

 private:
  std::vector<std::vector<Ciphertext>> words_;
  std::vector<std::size_t> widths_;
  std::size_t cycles_;
};

class ClockedRun {
 public:
  ClockedRun(const ClockedCircuit& circuit, const Evaluator& evaluator, CycleInputs inputs,
             std::size_t cycles, const ClockedRunOptions& options, const Monitor& monitor)
      : circuit_(circuit),
        step_(with_lower_degree(circuit.step())),
        evaluator_(evaluator),
        inputs_(std::move(inputs)),
        cycles_(cycles),
        options_(options),
        monitor_(monitor) {}

  ClockedResult run() {
    start();
    for (auto cycle = static_cast<std::size_t>(state_.finished); cycle < cycles_; ++cycle) {
      run_cycle(cycle);
    }
    take_outputs();
    return std::move(result_);
  }

 private:
  [[nodiscard]] const PublicKey& key() const { return evaluator_.public_key(); }
  [[nodiscard]] const std::optional<std::filesystem::path>& checkpoint() const {
    return options_.run.checkpoint;
  }

  void start() {
    // With the noise of the first cycle even where that is complete: a resumed run is the same run.
    register_noise_ = plan_of_step(step_, circuit_.registers(), NoiseModel::of(evaluator_.key()),
                                   inputs_.first_noise(), monitor_)
                          .state;
    state_.values = initial_state(circuit_, evaluator_);
    if (!checkpoint()) return;
    const std::size_t outputs = circuit_.output_bits() * (options_.every_cycle ? cycles_ : 1);
    require_clocked_checkpoint_size(*checkpoint(), outputs + circuit_.registers(), key(),
                                    options_.run.limits);
    identity_ = {circuit_.digest(), inputs_.digest(), cycles_, options_.every_cycle};
    if (options_.run.resume) load();
  }

  // A run that was interrupted in its first cycle has the checkpoint of that only.
  void load() {
    if (!std::filesystem::exists(*checkpoint()) &&
        std::filesystem::exists(cycle_checkpoint(*checkpoint(), 0))) {
      return;
    }
    state_ = load_clocked_checkpoint(*checkpoint(), identity_, circuit_.registers(),
                                     circuit_.output_bits(), key(), options_.run.limits);
    saved_cycles_ = result_.resumed_cycles = static_cast<std::size_t>(state_.finished);
  }

  [[nodiscard]] CircuitRunOptions options_of(std::size_t cycle, std::size_t kept) const {
    CircuitRunOptions options = options_.run;
    if (options.max_memory_bytes) {
      const std::uint64_t bytes = kept * ciphertext_bytes(key().modulus());
      *options.max_memory_bytes -= std::min(bytes, *options.max_memory_bytes);
    }
    if (!checkpoint()) return options;
    options.checkpoint = cycle_checkpoint(*checkpoint(), cycle);
    options.resume = options.resume && std::filesystem::exists(*options.checkpoint);
    return options;
  }

  // Tells how far all cycles together are.
  [[nodiscard]] Monitor monitor_of(std::size_t cycle) const {
    Monitor monitor{monitor_.stop, {}};
    if (!monitor_.progress) return monitor;
    monitor.progress = [this, cycle](std::string_view /*phase*/, double fraction) {
      const double done = static_cast<double>(cycle) + fraction;
      monitor_.progress("cycles", done / static_cast<double>(cycles_));
    };
    return monitor;
  }

  void run_cycle(std::size_t cycle) {
    monitor_.throw_if_stopped();
    std::vector<Ciphertext> bits = inputs_.take(cycle);
    std::move(registers_begin(), state_.values.end(), std::back_inserter(bits));
    state_.values.erase(registers_begin(), state_.values.end());
    if (!options_.every_cycle) state_.values.clear();
    const std::size_t kept = inputs_.kept_behind(cycle) + state_.values.size();
    CircuitResult step =
        run_circuit(step_, evaluator_, std::move(bits), options_of(cycle, kept), monitor_of(cycle));
    std::ranges::move(step.outputs, std::back_inserter(state_.values));
    result_.recryptions += step.recryptions;
    result_.resumed_values += step.resumed_values;
    result_.peak_ciphertexts = std::max(result_.peak_ciphertexts, step.peak_ciphertexts + kept);
    if (cycle + 1 < cycles_) refresh_registers();
    state_.finished = cycle + 1;
    if (checkpoint()) save();
  }

  // What the registers hold is behind the outputs.
  [[nodiscard]] std::vector<Ciphertext>::iterator registers_begin() {
    return state_.values.end() - static_cast<std::ptrdiff_t>(circuit_.registers());
  }

  // Brings what the registers hold down to the noise that is planned for; what several of them take
  // is refreshed once.
  void refresh_registers() {
    const auto wires = next_wires(step_, circuit_.registers());
    const std::span<Ciphertext> held(registers_begin(), state_.values.end());
    std::map<Wire, std::size_t> places;
    std::vector<Ciphertext> noisy;
    for (std::size_t i = 0; i < wires.size(); ++i) {
      if (held[i].noise() <= register_noise_) continue;
      if (places.try_emplace(wires[i], noisy.size()).second) noisy.push_back(held[i]);
    }
    if (noisy.empty()) return;
    const std::vector<Ciphertext> refreshed = evaluator_.refresh(noisy, {monitor_.stop, {}});
    for (std::size_t i = 0; i < wires.size(); ++i) {
      const auto place = places.find(wires[i]);
      if (place != places.end()) held[i] = refreshed[place->second];
    }
    result_.recryptions += noisy.size();
  }

  // The checkpoints of cycles are needed until that of the run is written.
  void save() {
    try {
      save_clocked_checkpoint(*checkpoint(), identity_, state_, key(), options_.run.limits);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io || !options_.run.checkpoint_failed) throw;
      options_.run.checkpoint_failed(error);
      return;
    }
    for (; saved_cycles_ < state_.finished; ++saved_cycles_) {
      std::error_code ignored;
      std::filesystem::remove(cycle_checkpoint(*checkpoint(), saved_cycles_), ignored);
    }
  }

  // From cycle after cycle to word after word.
  void take_outputs() {
    const std::size_t all = options_.every_cycle ? cycles_ : 1;
    std::size_t offset = 0;
    for (const OutputWord& word : circuit_.outputs()) {
      std::vector<Ciphertext> bits;
      for (std::size_t cycle = 0; cycle < all; ++cycle) {
        const auto first = state_.values.begin() +
                           static_cast<std::ptrdiff_t>(cycle * circuit_.output_bits() + offset);
        std::move(first, first + static_cast<std::ptrdiff_t>(word.wires.size()),
                  std::back_inserter(bits));
      }
      result_.outputs.push_back(std::move(bits));
      offset += word.wires.size();
    }
  }

  const ClockedCircuit& circuit_;
  Netlist step_;
  const Evaluator& evaluator_;
  CycleInputs inputs_;
  std::size_t cycles_;
  const ClockedRunOptions& options_;
  const Monitor& monitor_;
  ClockedIdentity identity_;
  ClockedState state_;
  std::size_t saved_cycles_ = 0;
  NoiseBound register_noise_;  // CyclePlan::state
  ClockedResult result_;
};

}  // namespace

std::filesystem::path cycle_checkpoint(const std::filesystem::path& checkpoint, std::size_t cycle) {
  return reporting_memory([&] {
    std::filesystem::path path = checkpoint;
    return path += fmt::format(".cycle{}", cycle + 1);
  });
}

CyclePlan plan_cycle(const ClockedCircuit& circuit, const NoiseModel& model,
                     const std::vector<NoiseBound>& inputs, const Monitor& monitor) {
  return reporting_memory([&] {
    return plan_of_step(with_lower_degree(circuit.step()), circuit.registers(), model, inputs,
                        monitor);
  });
}

ClockedResult run_clocked(const ClockedCircuit& circuit, const Evaluator& evaluator,
                          std::vector<std::vector<Ciphertext>> inputs, std::size_t cycles,
                          const ClockedRunOptions& options, const Monitor& monitor) {
  return reporting_memory([&] {
    if (cycles == 0 || cycles > kMaxCycles) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("a run takes 1 to {} cycles, not {}", kMaxCycles, cycles));
    }
    return ClockedRun(circuit, evaluator, CycleInputs(circuit, std::move(inputs), cycles), cycles,
                      options, monitor)
        .run();
  });
}

}  // namespace fhe
