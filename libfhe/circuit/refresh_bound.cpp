// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/refresh_bound.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "libfhe/gate/noise_bits.hpp"

namespace fhe {

namespace {

// The least noise that the wires of a circuit can have, and when an AND exceeds the limit on it.
class LeastNoise {
 public:
  LeastNoise(const Netlist& netlist, const NoiseModel& model, const std::vector<NoiseBound>& inputs)
      : netlist_(netlist), model_(model), noise_(inputs) {
    noise_.reserve(netlist.wires());
    for (const Gate& gate : netlist.gates()) {
      noise_.push_back(through(gate, [&](Wire input) { return best(input); }));
    }
  }

  [[nodiscard]] const Netlist& netlist() const { return netlist_; }
  // Of a wire before it is refreshed itself.
  [[nodiscard]] NoiseBound raw(Wire wire) const { return noise_[wire]; }
  // Of a wire as it is used: unrefreshed, or refreshed if that is less.
  [[nodiscard]] NoiseBound best(Wire wire) const {
    return std::min(noise_[wire], model_.refreshed);
  }
  [[nodiscard]] bool refreshable(Wire wire) const { return noise_[wire] > model_.refreshed; }

  // What a gate makes of inputs of this noise.
  template <class InputNoise>
  [[nodiscard]] NoiseBound through(const Gate& gate, const InputNoise& noise) const {
    const NoiseBits bits{model_.rule};
    return apply(bits, gate.kind, [&](std::size_t k) { return noise(gate.inputs.at(k)); });
  }

  [[nodiscard]] bool exceeds(NoiseBound x, NoiseBound y) const {
    return model_.rule.product(x, y) > model_.rule.refresh_limit;
  }

  // The most that an operand of an AND may have, in units, beside the least of the other.
  [[nodiscard]] std::uint32_t allowed(Wire operand, Wire other) const {
    const auto& [decrypt, limit, growth] = model_.rule;
    const std::uint32_t both = limit.units() - std::min(limit, growth).units();
    return operand == other ? both / 2 : both - std::min(both, best(other).units());
  }

  // Whether a sum exceeds the limit on inputs of this noise.
  [[nodiscard]] bool sum_exceeds(NoiseBound x, NoiseBound y) const {
    return model_.rule.sum(x, y) > model_.rule.refresh_limit;
  }

  // visit(operand, other) for both operands of every AND.
  template <class Visit>
  void for_each_operand(const Visit& visit) const {
    for (const Gate& gate : netlist_.gates()) {
      if (gate.kind != GateKind::and_gate) continue;
      visit(gate.inputs[0], gate.inputs[1]);
      visit(gate.inputs[1], gate.inputs[0]);
    }
  }

 private:
  const Netlist& netlist_;
  const NoiseModel& model_;
  std::vector<NoiseBound> noise_;
};

// A smallest cut between the wires that have more than `level` units of noise in any case and the
// operands that may have no more.
std::vector<Wire> cut_at(const LeastNoise& least, std::uint32_t level) {
  const std::size_t wires = least.netlist().wires();
  std::vector<bool> from(wires);
  std::vector<bool> to(wires);
  for (Wire wire = 0; wire < wires; ++wire) from[wire] = least.raw(wire).units() > level;
  least.for_each_operand([&](Wire operand, Wire other) {
    if (least.allowed(operand, other) <= level) to[operand] = true;
  });
  return smallest_cut(least.netlist(), from, to);
}

// The largest of the cuts at the levels that there are, or at some of them when there are many.
std::vector<Wire> largest_cut(const LeastNoise& least) {
  constexpr std::size_t kMostLevels = 8;
  if (least.netlist().wires() >= kMostWiresToCut) return {};
  std::set<std::uint32_t> distinct;
  least.for_each_operand([&](Wire x, Wire y) { distinct.insert(least.allowed(x, y)); });
  const std::vector<std::uint32_t> levels(distinct.begin(), distinct.end());
  std::vector<Wire> largest;
  for (std::size_t i = 0; i < levels.size(); i += levels.size() / kMostLevels + 1) {
    std::vector<Wire> cut = cut_at(least, levels[i]);
    if (cut.size() > largest.size()) largest = std::move(cut);
  }
  return largest;
}

// Sets of wires of which every plan refreshes at least one.
class DisjointSets {
 public:
  explicit DisjointSets(const LeastNoise& least) : least_(least) {
    least.for_each_operand([&](Wire x, Wire y) {
      if (x < y && least_.exceeds(least_.raw(x), least_.raw(y))) sets_.push_back({x, y});
      add_chains({x}, x == y ? std::nullopt : std::optional(y));
    });
    for (const Gate& gate : least.netlist().gates()) {
      if (gate.kind == GateKind::xor_gate) add_sum(gate.inputs[0], gate.inputs[1]);
    }
  }

  // Picks small sets first, and among those the ones whose wires are in few others.
  [[nodiscard]] std::size_t count() {
    std::vector<std::size_t> degree(least_.netlist().wires());
    for (const Set& set : sets_) {
      for (const Wire wire : set) ++degree[wire];
    }
    const auto rank = [&](const Set& set) {
      std::size_t sum = 0;
      for (const Wire wire : set) sum += degree[wire];
      return std::pair(set.size(), sum);
    };
    std::ranges::stable_sort(sets_, {}, rank);
    std::vector<bool> taken(least_.netlist().wires());
    std::size_t count = 0;
    for (const Set& set : sets_) {
      if (std::ranges::any_of(set, [&](Wire wire) { return taken[wire]; })) continue;
      for (const Wire wire : set) taken[wire] = true;
      ++count;
    }
    return count;
  }

 private:
  using Set = std::vector<Wire>;
  static constexpr std::size_t kLongestChain = 4;

  // One input, or one of both, where their sum would exceed the limit otherwise.
  void add_sum(Wire x, Wire y) {
    const bool x_is_needed = least_.sum_exceeds(least_.raw(x), least_.best(y));
    const bool y_is_needed = least_.sum_exceeds(least_.best(x), least_.raw(y));
    if (x_is_needed) sets_.push_back({x});
    if (y_is_needed && x != y) sets_.push_back({y});
    if (x_is_needed || y_is_needed || !least_.sum_exceeds(least_.raw(x), least_.raw(y))) return;
    sets_.push_back({x, y});
  }

  // The least noise of the first wire of a chain, each of which is an input of the gate before,
  // when none of them is refreshed.
  [[nodiscard]] NoiseBound chain_noise(const Set& chain) const {
    NoiseBound noise = least_.raw(chain.back());
    for (std::size_t i = chain.size() - 1; i-- > 0;) {
      const Gate& gate = *least_.netlist().driver(chain[i]);
      noise = least_.through(
          gate, [&](Wire input) { return input == chain[i + 1] ? noise : least_.best(input); });
    }
    return noise;
  }

  // Lengthens a chain from an AND's input through sums until it is noisy enough to count.
  void add_chains(const Set& chain, std::optional<Wire> other) {
    const NoiseBound noise = chain_noise(chain);
    if (least_.exceeds(noise, other ? least_.best(*other) : noise)) {
      sets_.push_back(chain);
      return;
    }
    const Gate* const gate = least_.netlist().driver(chain.back());
    if (chain.size() == kLongestChain || gate == nullptr || is_product(gate->kind)) return;
    for (std::size_t k = 0; k < gate_inputs(gate->kind); ++k) {
      if (!least_.refreshable(gate->inputs.at(k))) continue;
      Set longer = chain;
      longer.push_back(gate->inputs.at(k));
      add_chains(longer, other);
    }
  }

  const LeastNoise& least_;
  std::vector<Set> sets_;
};

}  // namespace

RefreshBound bound_refreshes(const Netlist& netlist, const NoiseModel& model,
                             const std::vector<NoiseBound>& inputs) {
  const LeastNoise least(netlist, model, inputs);
  RefreshBound bound{0, largest_cut(least)};
  bound.recryptions = std::max(bound.cut.size(), DisjointSets(least).count());
  return bound;
}

}  // namespace fhe
