// SPDX-License-Identifier: Apache-2.0
// What has to hold for every circuit, and for every text that a reader of circuits is given.
//
// Nothing here needs a test framework: what does not hold is thrown, so that tests, fuzzers and
// programs that replay files use the same oracle.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libfhe/circuit/bristol.hpp"
#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/clocked.hpp"
#include "libfhe/circuit/lower_degree.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/refresh_plan.hpp"
#include "libfhe/circuit/task_graph.hpp"
#include "libfhe/circuit/task_queue.hpp"
#include "libfhe/error.hpp"

namespace fhe::test {

// Something does not hold; the message says what.
class OracleViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void demand(bool holds, const std::string& what) {
  if (!holds) throw OracleViolation(what);
}

// 64 plain bits at once: bit i is the value in the i-th of 64 runs.
using Lanes = std::uint64_t;

struct LaneBits {
  [[nodiscard]] static Lanes constant(bool bit) { return bit ? ~Lanes{0} : 0; }
  [[nodiscard]] static Lanes xor_gate(Lanes x, Lanes y) { return x ^ y; }
  [[nodiscard]] static Lanes and_gate(Lanes x, Lanes y) { return x & y; }
  [[nodiscard]] static Lanes not_gate(Lanes x) { return ~x; }
};

static_assert(BitAlgebra<const LaneBits>);

// Inputs of 64 runs: all 2^bits for at most 6 bits, otherwise all zeros, all ones and random ones.
inline std::vector<Lanes> lane_inputs(std::size_t bits) {
  constexpr std::array<Lanes, 6> kCounting{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                           0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                           0xffff0000ffff0000, 0xffffffff00000000};
  if (bits <= kCounting.size()) {
    return {kCounting.begin(), kCounting.begin() + static_cast<std::ptrdiff_t>(bits)};
  }
  std::mt19937_64 random(bits);
  std::vector<Lanes> inputs(bits);
  for (Lanes& lanes : inputs) lanes = (random() & ~Lanes{1}) | Lanes{2};
  return inputs;
}

inline std::vector<Lanes> lane_outputs(const Netlist& netlist) {
  const LaneBits lanes;
  return evaluate(netlist, lanes, lane_inputs(netlist.input_bits()));
}

// The value of every wire.
inline std::vector<Lanes> lane_values(const Netlist& netlist) {
  const LaneBits lanes;
  std::vector<Lanes> values = lane_inputs(netlist.input_bits());
  for (const Gate& gate : netlist.gates()) {
    values.push_back(
        apply(lanes, gate.kind, [&](std::size_t k) { return values[gate.inputs.at(k)]; }));
  }
  return values;
}

inline std::vector<WireValue> input_values(const Netlist& netlist) {
  std::vector<WireValue> values;
  for (Wire wire = 0; wire < netlist.input_bits(); ++wire) values.push_back({wire, false});
  return values;
}

// Plays the tasks of a graph on plain bits, up to `workers` at a time that end in a drawn order:
// everything is made once and before it is used, nothing is used after its end, the outputs are
// those of the circuit, and no more values are kept than the graph says of the window. Returns how
// many.
inline std::size_t check_tasks(const Netlist& netlist, const std::vector<bool>& refreshed,
                               const TaskGraph& graph, std::size_t window, std::size_t workers) {
  const LaneBits lanes;
  const std::vector<Lanes> expected = lane_values(netlist);
  std::mt19937_64 random(graph.values());
  std::map<ValueIndex, Lanes> alive;
  for (ValueIndex value = 0; value < graph.present().size(); ++value) {
    alive.emplace(value, expected.at(graph.name(value).wire));
  }
  const auto value = [&](ValueIndex index) {
    const auto found = alive.find(index);
    demand(found != alive.end(), fmt::format("value {} is used while it is not there", index));
    return found->second;
  };
  const auto result_of = [&](TaskIndex task) {
    const WireValue makes = graph.tasks()[task].makes;
    const auto operands = graph.operands(task);
    if (makes.refreshed) return value(operands.front());
    const Gate* const gate = netlist.driver(makes.wire);
    demand(gate != nullptr, fmt::format("input {} is made", makes.wire));
    return apply(lanes, gate->kind, [&](std::size_t k) {
      demand(graph.name(operands[k]) == value_in_use(gate->inputs.at(k), refreshed),
             fmt::format("a gate takes another value than that of wire {}", gate->inputs.at(k)));
      return value(operands[k]);
    });
  };
  TaskQueue queue(graph, window);
  std::vector<TaskIndex> running;
  std::vector<bool> done(graph.tasks().size());
  std::size_t peak = alive.size();
  for (;;) {
    while (running.size() < workers && queue.ready() > 0) {
      const std::vector<TaskIndex> taken = queue.take(1 + random() % 3);
      running.insert(running.end(), taken.begin(), taken.end());
    }
    peak = std::max(peak, alive.size() + running.size());
    if (running.empty()) break;
    std::swap(running[random() % running.size()], running.back());
    const TaskIndex task = running.back();
    running.pop_back();
    demand(!done[task], fmt::format("task {} is done twice", task));
    done[task] = true;
    alive.emplace(graph.made_by(task), result_of(task));
    for (const ValueIndex dead : queue.finish(task)) {
      demand(alive.erase(dead) == 1, fmt::format("value {} is dropped but not there", dead));
    }
  }
  demand(std::ranges::find(done, false) == done.end(), "a task is never done");
  const std::vector<Wire> wires = netlist.output_wires();
  demand(graph.outputs().size() == wires.size(), "the graph has other outputs");
  for (std::size_t i = 0; i < wires.size(); ++i) {
    demand(value(graph.outputs()[i]) == expected.at(wires[i]),
           fmt::format("output wire {} has another value", wires[i]));
  }
  demand(alive.size() == std::set(graph.outputs().begin(), graph.outputs().end()).size(),
         "a value is kept that nothing needs");
  demand(peak <= graph.most_values(window), "more values are kept than the graph says");
  return peak;
}

// Whether no wire exceeds the limit when these are recrypted, followed in the plainest form.
// Requires a circuit of constants, NOT, XOR and AND.
inline bool is_sound(const Netlist& netlist, const NoiseModel& model,
                     const std::vector<NoiseBound>& inputs, const std::vector<bool>& refreshed) {
  std::vector<NoiseBound> in_use = inputs;
  const auto use = [&](Wire wire) {
    if (refreshed[wire]) in_use[wire] = model.refreshed;
  };
  for (Wire wire = 0; wire < inputs.size(); ++wire) use(wire);
  for (std::size_t i = 0; i < netlist.gates().size(); ++i) {
    const auto& [x, y, z] = netlist.gates()[i].inputs;
    switch (netlist.gates()[i].kind) {
      case GateKind::and_gate:
        in_use.push_back(model.rule.product(in_use[x], in_use[y]));
        break;
      case GateKind::xor_gate:
        in_use.push_back(model.rule.sum(in_use[x], in_use[y]));
        break;
      case GateKind::not_gate:
        in_use.push_back(model.rule.sum(in_use[x], NoiseBound()));
        break;
      default:
        in_use.emplace_back();
        break;
    }
    if (in_use.back() > model.rule.refresh_limit) return false;
    use(netlist.driven(i));
  }
  return true;
}

// A plan keeps every wire within the limit, and its figures are right.
inline void check_plan(const Netlist& netlist, const NoiseModel& model,
                       const std::vector<NoiseBound>& inputs, const RefreshPlan& plan) {
  demand(is_sound(netlist, model, inputs, plan.refreshed), "the plan exceeds the noise limit");
  demand(plan.recryptions == static_cast<std::size_t>(std::ranges::count(plan.refreshed, true)),
         "the plan's recryptions are counted wrongly");
  demand(plan.lower_bound <= plan.recryptions, "the plan is below its lower bound");
}

// Noise as under two kinds of keys: sums of two refreshed ciphertexts can be multiplied, or only
// refreshed ciphertexts themselves; new encryptions stand one product in both.
inline std::array<NoiseModel, 2> noise_models() {
  const auto bits = [](double value) { return NoiseBound::from_bits(value); };
  const NoiseRule rule{bits(110), bits(100), bits(1)};
  return {NoiseModel{rule, bits(49), bits(48)}, NoiseModel{rule, bits(40), bits(49.5)}};
}

// The same function of the same words.
inline void demand_same(const Netlist& a, const Netlist& b, const std::string& what) {
  const auto widths = [](const Netlist& netlist) {
    std::pair<std::vector<std::size_t>, std::vector<std::size_t>> found;
    for (const InputWord& word : netlist.inputs()) found.first.push_back(word.width);
    for (const OutputWord& word : netlist.outputs()) found.second.push_back(word.wires.size());
    return found;
  };
  demand(widths(a) == widths(b), what + " has other words");
  demand(lane_outputs(a) == lane_outputs(b), what + " is another function");
}

// Recryptions and tasks of a circuit of constants, NOT, XOR and AND.
inline void check_run(const Netlist& netlist) {
  for (const NoiseModel& model : noise_models()) {
    const std::vector<NoiseBound> inputs(netlist.input_bits(), model.fresh);
    const RefreshPlan plan = plan_refreshes(netlist, model, inputs);
    check_plan(netlist, model, inputs, plan);
    const TaskGraph graph(netlist, plan, model.refreshed, input_values(netlist));
    const std::size_t all = graph.tasks().size() + 1;
    check_tasks(netlist, plan.refreshed, graph, all, 5);
    const std::size_t most = graph.most_values(all);
    const std::size_t least = graph.most_values(1);
    demand(check_tasks(netlist, plan.refreshed, graph, 1, 1) == least,
           "one task after the other keeps another number of values");
    const std::size_t window = graph.window_within(std::max(least, most - most / 4));
    check_tasks(netlist, plan.refreshed, graph, window, 5);
  }
}

// What has to hold for a circuit: written and read again, simplified and with lower degree it is
// the same function; its plans and tasks keep their promises. Plans are left out beyond
// `most_planned` wires, where they take long.
inline void check_circuit(const Netlist& netlist, std::size_t most_planned = 4096) {
  const Netlist again = parse_bristol(to_bristol(netlist), "again");
  demand_same(netlist, again, "the circuit in Bristol Fashion");
  const Netlist simple = simplified(netlist);
  demand_same(netlist, simple, "the simplified circuit");
  const Netlist lower = with_lower_degree(netlist);
  demand_same(netlist, lower, "the circuit with lower degree");
  demand(costs(lower).products <= costs(simple).products, "lower degree takes more ANDs");
  if (lower.wires() <= most_planned) check_run(lower);
}

// "<name>:<line>: <what>" with a line that the text has (0 and no line: the text is empty).
inline void check_refusal(const Error& error, std::string_view text, const std::string& name) {
  const std::string message = error.what();
  demand(error.code() == ErrorCode::malformed_file, "not refused as malformed: " + message);
  demand(message.starts_with(name + ":"), "refused without the file's name: " + message);
  const std::size_t start = name.size() + 1;
  const std::size_t end = message.find(": ", start);
  demand(end != std::string::npos && end > start &&
             message.find_first_not_of("0123456789", start) == end,
         "refused without a line: " + message);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  demand(std::stoull(message.substr(start, end - start)) <= lines,
         "refused at a line that is not there: " + message);
}

// The gates of what a reader gives.
inline Netlist step_of(const Netlist& netlist) {
  return netlist;
}
inline Netlist step_of(const ClockedCircuit& circuit) {
  return circuit.step();
}

// What has to hold for any text, read by parse(text, name): it is refused at a line of it, or it is
// a circuit whose size the text can account for and for which check_circuit() holds; that is left
// out beyond `most_checked` wires. Returns whether it is a circuit.
template <class Parse>
bool check_circuit_text(const Parse& parse, std::string_view text, std::size_t most_planned = 4096,
                        std::size_t most_checked = std::numeric_limits<std::size_t>::max()) {
  // Input bits that nothing uses are declared by a number alone.
  constexpr std::size_t kFreeWires = std::size_t{1} << 16;
  constexpr std::size_t kMostWiresPerByte = 4;
  // What sub-models of BLIF are repeated to.
  const bool is_repeated = text.find(".subckt") != std::string_view::npos;
  const std::size_t bytes = is_repeated ? (std::size_t{1} << 22) + 64 * text.size() : text.size();
  const std::string name = "circuit";
  std::optional<Netlist> netlist;
  try {
    netlist = step_of(parse(text, name));
  } catch (const Error& error) {
    check_refusal(error, text, name);
    return false;
  }
  demand(netlist->wires() <= kFreeWires + kMostWiresPerByte * bytes &&
             netlist->output_bits() <= kFreeWires + text.size(),
         fmt::format("{} wires of {} bytes", netlist->wires(), text.size()));
  if (netlist->wires() <= most_checked) check_circuit(*netlist, most_planned);
  return true;
}

}  // namespace fhe::test
