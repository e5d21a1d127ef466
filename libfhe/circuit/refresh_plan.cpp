// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/refresh_plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <queue>
#include <span>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "libfhe/circuit/refresh_bound.hpp"
#include "libfhe/error.hpp"
#include "libfhe/gate/noise_bits.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

std::size_t input_count(const Gate& gate) {
  return gate_inputs(gate.kind);
}

// The gates that use each wire, one wire after the other.
class Uses {
 public:
  explicit Uses(const Netlist& netlist) : start_(netlist.wires() + 1) {
    for_each(netlist, [&](Wire input, Wire) { ++start_[input + 1]; });
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    users_.resize(start_.back());
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for_each(netlist, [&](Wire input, Wire driven) { users_[next[input]++] = driven; });
  }

  // The wires that gates drive which use this one, in increasing order.
  [[nodiscard]] std::span<const Wire> of(Wire wire) const {
    return std::span(users_).subspan(start_[wire], start_[wire + 1] - start_[wire]);
  }

 private:
  // visit(input, driven) for every wire of every gate, once where a gate uses a wire twice.
  template <class Visit>
  static void for_each(const Netlist& netlist, const Visit& visit) {
    for (std::size_t i = 0; i < netlist.gates().size(); ++i) {
      const Gate& gate = netlist.gates()[i];
      const auto used = std::span(gate.inputs).first(input_count(gate));
      for (std::size_t k = 0; k < used.size(); ++k) {
        if (std::ranges::find(used.first(k), used[k]) == used.begin() + static_cast<long>(k)) {
          visit(used[k], netlist.driven(i));
        }
      }
    }
  }

  std::vector<std::size_t> start_;
  std::vector<Wire> users_;
};

// The ANDs that a wire reaches through sums, each way counted.
std::vector<double> products_reached(const Netlist& netlist, const Uses& uses) {
  std::vector<double> reached(netlist.wires());
  for (std::size_t wire = netlist.wires(); wire-- > 0;) {
    for (const Wire user : uses.of(static_cast<Wire>(wire))) {
      reached[wire] += is_product(netlist.driver(user)->kind) ? 1 : reached[user];
    }
  }
  return reached;
}

// A choice of wires and the noise that follows from it.
class Noise {
 public:
  Noise(const Netlist& netlist, const Uses& uses, const NoiseModel& model,
        const std::vector<NoiseBound>& inputs)
      : netlist_(netlist), uses_(uses), model_(model), noise_(inputs), refreshed_(netlist.wires()) {
    noise_.resize(netlist.wires());
  }

  [[nodiscard]] bool refreshed(Wire wire) const { return refreshed_[wire]; }
  [[nodiscard]] NoiseBound raw(Wire wire) const { return noise_[wire]; }
  [[nodiscard]] NoiseBound effective(Wire wire) const {
    return refreshed_[wire] ? model_.refreshed : noise_[wire];
  }
  // Whether refreshing it would help.
  [[nodiscard]] bool refreshable(Wire wire) const {
    return !refreshed_[wire] && noise_[wire] > model_.refreshed;
  }
  [[nodiscard]] const std::vector<bool>& choice() const { return refreshed_; }
  [[nodiscard]] const std::vector<NoiseBound>& all() const { return noise_; }

  // Adds wires to the choice before anything is worked out.
  void start_with(const std::vector<Wire>& wires) {
    for (const Wire wire : wires) refreshed_[wire] = true;
  }

  // Works out what gate `index` makes of its inputs, and returns whether it is within the limit.
  bool update(std::size_t index) {
    const Wire wire = netlist_.driven(index);
    noise_[wire] = result(index);
    return noise_[wire] <= model_.rule.refresh_limit;
  }

  // Adds a wire to the choice; gates up to wire `last` follow.
  void refresh(Wire wire, Wire last) {
    refreshed_[wire] = true;
    static_cast<void>(follow(wire, last, nullptr));
  }

  // Takes a wire out of the choice, unless some gate would then exceed the limit.
  bool drop(Wire wire) {
    std::vector<std::pair<Wire, NoiseBound>> before;
    refreshed_[wire] = false;
    if (follow(wire, static_cast<Wire>(netlist_.wires()), &before)) return true;
    refreshed_[wire] = true;
    for (const auto& [changed, noise] : before) noise_[changed] = noise;
    return false;
  }

 private:
  [[nodiscard]] NoiseBound result(std::size_t index) const {
    const Gate& gate = netlist_.gates()[index];
    const NoiseBits bits{model_.rule};
    return apply(bits, gate.kind, [&](std::size_t k) { return effective(gate.inputs.at(k)); });
  }

  // Recomputes what depends on a wire, in order; false as soon as a gate exceeds the limit.
  bool follow(Wire changed, Wire last, std::vector<std::pair<Wire, NoiseBound>>* before) {
    std::priority_queue<Wire, std::vector<Wire>, std::greater<>> waiting;
    const auto enqueue = [&](Wire wire) {
      for (const Wire user : uses_.of(wire)) {
        if (user <= last) waiting.push(user);
      }
    };
    enqueue(changed);
    while (!waiting.empty()) {
      const Wire wire = waiting.top();
      while (!waiting.empty() && waiting.top() == wire) waiting.pop();
      const NoiseBound noise = result(wire - netlist_.input_bits());
      if (noise == noise_[wire]) continue;
      if (before != nullptr) {
        before->emplace_back(wire, noise_[wire]);
        if (noise > model_.rule.refresh_limit) return false;
      }
      noise_[wire] = noise;
      if (!refreshed_[wire]) enqueue(wire);
    }
    return true;
  }

  const Netlist& netlist_;
  const Uses& uses_;
  const NoiseModel& model_;
  std::vector<NoiseBound> noise_;
  std::vector<bool> refreshed_;
};

// Which wire to recrypt when a gate's input is too noisy.
enum class Strategy {
  operand,  // that input itself
  source,   // the noisiest of the products and inputs that it is a sum of
  cheaper,  // whichever costs less for each AND that it serves
  cut,      // the same, after the cut of the lower bound
  shared,   // after that cut, the most used of the sums that nearly all of its noise comes from
};

class Planner {
 public:
  Planner(const Netlist& netlist, const NoiseModel& model, const std::vector<NoiseBound>& inputs,
          const Monitor& monitor)
      : netlist_(netlist),
        model_(model),
        inputs_(inputs),
        monitor_(monitor),
        uses_(netlist),
        products_(products_reached(netlist, uses_)) {}

  // The best plan found; none is better once it has as few recryptions as the bound.
  [[nodiscard]] RefreshPlan plan(const RefreshBound& bound) const {
    std::optional<RefreshPlan> best;
    for (const Strategy strategy : {Strategy::cut, Strategy::shared, Strategy::operand,
                                    Strategy::source, Strategy::cheaper}) {
      if (best && best->recryptions == bound.recryptions) break;
      Noise noise = choose(strategy, bound.cut);
      prune(noise);
      RefreshPlan found;
      found.refreshed = noise.choice();
      found.recryptions = static_cast<std::size_t>(std::ranges::count(noise.choice(), true));
      found.noise = noise.all();
      if (!best || found.recryptions < best->recryptions) best = std::move(found);
    }
    best->lower_bound = bound.recryptions;
    return *std::move(best);
  }

 private:
  // Goes through the circuit and refreshes what each gate needs.
  [[nodiscard]] Noise choose(Strategy strategy, const std::vector<Wire>& cut) const {
    Noise noise(netlist_, uses_, model_, inputs_);
    if (strategy == Strategy::cut || strategy == Strategy::shared) noise.start_with(cut);
    for (std::size_t i = 0; i < netlist_.gates().size(); ++i) {
      if (i % kStopInterval == 0) monitor_.throw_if_stopped();
      while (!noise.update(i)) {
        const std::optional<Wire> operand = noisiest_input(noise, netlist_.driven(i));
        if (!operand) {
          throw Error(ErrorCode::noise_exceeded,
                      fmt::format("gate {} could reach {:.1f} bits of noise on refreshed inputs, "
                                  "past the {:.1f} that can be refreshed: choose another adder",
                                  i, noise.raw(netlist_.driven(i)).bits(),
                                  model_.rule.refresh_limit.bits()));
        }
        noise.refresh(pick(noise, *operand, strategy), netlist_.driven(i));
      }
    }
    return noise;
  }

  // The noisiest input of a gate that refreshing would help.
  [[nodiscard]] std::optional<Wire> noisiest_input(const Noise& noise, Wire driven) const {
    const Gate* const gate = netlist_.driver(driven);
    std::optional<Wire> noisiest;
    for (std::size_t k = 0; gate != nullptr && k < input_count(*gate); ++k) {
      const Wire input = gate->inputs.at(k);
      if (!noise.refreshable(input)) continue;
      if (!noisiest || noise.raw(input) > noise.raw(*noisiest)) noisiest = input;
    }
    return noisiest;
  }

  [[nodiscard]] bool is_sum(Wire wire) const {
    const Gate* const gate = netlist_.driver(wire);
    return gate != nullptr && !is_product(gate->kind) && input_count(*gate) > 0;
  }

  [[nodiscard]] Wire pick(const Noise& noise, Wire operand, Strategy strategy) const {
    const Wire wire = without_inversions(noise, operand);
    switch (strategy) {
      case Strategy::operand:
        return wire;
      case Strategy::source:
        return noisiest_source(noise, wire);
      case Strategy::cut:
      case Strategy::cheaper:
        return share_of_sources(noise, wire) < 1 / products_[wire] ? noisiest_source(noise, wire)
                                                                   : wire;
      case Strategy::shared:
        return without_inversions(noise, most_used_part(noise, wire));
    }
    return wire;
  }

  // Refreshing what a NOT inverts serves both.
  [[nodiscard]] Wire without_inversions(const Noise& noise, Wire wire) const {
    while (is_sum(wire) && input_count(*netlist_.driver(wire)) == 1 &&
           noise.refreshable(netlist_.driver(wire)->inputs[0])) {
      wire = netlist_.driver(wire)->inputs[0];
    }
    return wire;
  }

  [[nodiscard]] Wire noisiest_source(const Noise& noise, Wire wire) const {
    while (is_sum(wire)) {
      const std::optional<Wire> input = noisiest_input(noise, wire);
      if (!input) break;
      wire = *input;
    }
    return wire;
  }

  // Long sums grow term by term, and many sums share their parts: to refresh the part that most
  // gates use keeps all of them small.
  [[nodiscard]] Wire most_used_part(const Noise& noise, Wire sum) const {
    constexpr double kNearlyAllBits = 4;
    Wire best = sum;
    for (Wire part = sum; is_sum(part);) {
      const std::optional<Wire> input = noisiest_input(noise, part);
      if (!input || noise.raw(*input).bits() + kNearlyAllBits < noise.raw(sum).bits()) break;
      part = *input;
      if (uses_.of(part).size() > uses_.of(best).size()) best = part;
    }
    return best;
  }

  // What it costs this one use to have all noisy sources of a sum refreshed, each of them shared by
  // the ANDs that it serves; large when there are many sources.
  [[nodiscard]] double share_of_sources(const Noise& noise, Wire sum) const {
    double share = 0;
    std::vector<Wire> waiting{sum};
    std::unordered_set<Wire> seen{sum};
    while (!waiting.empty()) {
      const Wire wire = waiting.back();
      waiting.pop_back();
      if (seen.size() > kMostSources) return static_cast<double>(kMostSources);
      if (!is_sum(wire) || !noisiest_input(noise, wire)) {
        share += 1 / products_[wire];
        continue;
      }
      const Gate& gate = *netlist_.driver(wire);
      for (std::size_t k = 0; k < input_count(gate); ++k) {
        const Wire input = gate.inputs.at(k);
        if (noise.refreshable(input) && seen.insert(input).second) waiting.push_back(input);
      }
    }
    return share;
  }

  // Takes back what turned out not to be needed, first what serves few ANDs.
  void prune(Noise& noise) const {
    std::vector<Wire> chosen;
    for (Wire wire = 0; wire < netlist_.wires(); ++wire) {
      if (noise.refreshed(wire)) chosen.push_back(wire);
    }
    std::ranges::stable_sort(chosen, {}, [&](Wire wire) { return products_[wire]; });
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (i % kStopInterval == 0) monitor_.throw_if_stopped();
      noise.drop(chosen[i]);
    }
  }

  static constexpr std::size_t kStopInterval = 256;
  static constexpr std::size_t kMostSources = 64;

  const Netlist& netlist_;
  const NoiseModel& model_;
  const std::vector<NoiseBound>& inputs_;
  const Monitor& monitor_;
  Uses uses_;
  std::vector<double> products_;
};

// The recryptions of an Evaluator that refreshes the operands of each gate and forgets them again.
std::size_t count_gate_by_gate(const Netlist& netlist, const NoiseModel& model,
                               const std::vector<NoiseBound>& inputs) {
  const NoiseBits bits{model.rule};
  std::size_t count = 0;
  std::vector<NoiseBound> noise = inputs;
  for (const Gate& gate : netlist.gates()) {
    std::array<NoiseBound, 3> operands;
    for (std::size_t k = 0; k < input_count(gate); ++k) operands.at(k) = noise[gate.inputs.at(k)];
    const auto result = [&] {
      return apply(bits, gate.kind, [&](std::size_t k) { return operands.at(k); });
    };
    NoiseBound reached = result();
    while (reached > model.rule.refresh_limit) {
      const NoiseBound noisiest = std::ranges::max(operands);
      if (noisiest <= model.refreshed) break;
      const auto at =
          static_cast<std::size_t>(std::ranges::find(operands, noisiest) - operands.begin());
      const Wire wire = gate.inputs.at(at);
      for (std::size_t k = 0; k < input_count(gate); ++k) {
        if (gate.inputs.at(k) == wire) operands.at(k) = model.refreshed;
      }
      ++count;
      reached = result();
    }
    noise.push_back(reached);
  }
  return count;
}

}  // namespace

NoiseModel NoiseModel::of(const KeyContext& key) {
  return {key.noise_rule(), key.fresh_noise(), key.refreshed_noise()};
}

RefreshPlan plan_refreshes(const Netlist& netlist, const NoiseModel& model,
                           const std::vector<NoiseBound>& inputs, const Monitor& monitor) {
  return reporting_memory([&] {
    require_input_bits(netlist, inputs.size());
    const RefreshBound bound = bound_refreshes(netlist, model, inputs);
    RefreshPlan plan = Planner(netlist, model, inputs, monitor).plan(bound);
    plan.gate_by_gate = count_gate_by_gate(netlist, model, inputs);
    return plan;
  });
}

std::vector<NoiseBound> noise_of_wires(const Netlist& netlist, const NoiseModel& model,
                                       const std::vector<NoiseBound>& inputs,
                                       const std::vector<bool>& refreshed) {
  return reporting_memory([&] {
    require_input_bits(netlist, inputs.size());
    if (refreshed.size() != netlist.wires()) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("the circuit has {} wires, and the plan is for {}", netlist.wires(),
                              refreshed.size()));
    }
    const NoiseBits bits{model.rule};
    std::vector<NoiseBound> noise = inputs;
    noise.reserve(netlist.wires());
    for (const Gate& gate : netlist.gates()) {
      noise.push_back(apply(bits, gate.kind, [&](std::size_t k) {
        const Wire wire = gate.inputs.at(k);
        return refreshed[wire] ? model.refreshed : noise[wire];
      }));
    }
    if (std::ranges::max(noise) > model.rule.refresh_limit) {
      throw Error(
          ErrorCode::noise_exceeded,
          fmt::format("under this plan the noise could reach {:.1f} bits, past the limit of "
                      "{:.1f}: plan the circuit for these inputs",
                      std::ranges::max(noise).bits(), model.rule.refresh_limit.bits()));
    }
    return noise;
  });
}

}  // namespace fhe
