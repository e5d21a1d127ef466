// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/task_graph.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

// A place in tables of wires and their recrypted values.
using Id = std::size_t;

Id id_of(const WireValue& value) {
  return 2 * Id{value.wire} + (value.refreshed ? 1 : 0);
}

WireValue value_of(Id id) {
  return {static_cast<Wire>(id / 2), id % 2 != 0};
}

// What is to be done, in an order in which it could be done one by one: every task just before the
// first that uses its result.
class TaskOrder {
 public:
  TaskOrder(const Netlist& netlist, const std::vector<bool>& refreshed,
            const std::vector<WireValue>& present, const std::vector<WireValue>& wanted)
      : netlist_(netlist),
        refreshed_(refreshed),
        present_(2 * netlist.wires()),
        needed_(2 * netlist.wires()),
        placed_(2 * netlist.wires()) {
    for (const WireValue& value : present) present_[checked_id(value)] = true;
    for (const WireValue& value : wanted) needed_[checked_id(value)] = true;
    find_needed();
    for (const WireValue& value : wanted) place_up_to(id_of(value));
  }

  // What the tasks make.
  [[nodiscard]] const std::vector<Id>& order() const { return order_; }
  // Whether a value is there from the start and needed.
  [[nodiscard]] bool is_kept(Id id) const { return present_[id] && needed_[id]; }

  // What the task that makes a value uses.
  [[nodiscard]] std::vector<Id> operands(Id id) const {
    const WireValue value = value_of(id);
    if (value.refreshed) return {id - 1};
    std::vector<Id> used;
    const Gate* const gate = netlist_.driver(value.wire);
    for (std::size_t k = 0; gate != nullptr && k < gate_inputs(gate->kind); ++k) {
      used.push_back(id_of(value_in_use(gate->inputs.at(k), refreshed_)));
    }
    return used;
  }

 private:
  [[nodiscard]] Id checked_id(const WireValue& value) const {
    if (value.wire < netlist_.wires()) return id_of(value);
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the circuit has {} wires and none of number {}", netlist_.wires(),
                            value.wire));
  }

  void find_needed() {
    for (Id id = needed_.size(); id-- > 0;) {
      if (!needed_[id] || present_[id]) continue;
      const WireValue value = value_of(id);
      if (!value.refreshed && netlist_.driver(value.wire) == nullptr) {
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("what is to be computed needs input wire {}, which is not there",
                                value.wire));
      }
      for (const Id operand : operands(id)) needed_[operand] = true;
    }
  }

  // Depth first from a value that is wanted, without recursion: chains are long.
  void place_up_to(Id wanted) {
    const auto is_open = [&](Id id) { return needed_[id] && !present_[id] && !placed_[id]; };
    std::vector<Id> path{wanted};
    while (!path.empty()) {
      const Id id = path.back();
      const std::vector<Id> used = operands(id);
      const auto missing = std::ranges::find_if(used, is_open);
      if (is_open(id) && missing != used.end()) {
        path.push_back(*missing);
        continue;
      }
      if (is_open(id)) order_.push_back(id);
      placed_[id] = true;
      path.pop_back();
    }
  }

  const Netlist& netlist_;
  const std::vector<bool>& refreshed_;
  std::vector<bool> present_;
  std::vector<bool> needed_;
  std::vector<bool> placed_;
  std::vector<Id> order_;
};

// The values of the output wires.
std::vector<WireValue> output_values(const Netlist& netlist, const RefreshPlan& plan) {
  std::vector<WireValue> values;
  for (const Wire wire : netlist.output_wires()) {
    values.push_back(value_in_use(wire, plan.refreshed));
  }
  return values;
}

TaskKind kind_of(const WireValue& makes, const Netlist& netlist) {
  if (makes.refreshed) return TaskKind::recryption;
  return is_product(netlist.driver(makes.wire)->kind) ? TaskKind::product : TaskKind::sum;
}

}  // namespace

double TaskCosts::of(TaskKind kind) const {
  switch (kind) {
    case TaskKind::sum:
      return sum;
    case TaskKind::product:
      return product;
    case TaskKind::recryption:
      return recryption;
  }
  return sum;
}

TaskGraph::TaskGraph(const Netlist& netlist, const RefreshPlan& plan, NoiseBound refreshed_noise,
                     const std::vector<WireValue>& present, const TaskCosts& costs)
    : TaskGraph(netlist, plan, refreshed_noise, present,
                reporting_memory([&] { return output_values(netlist, plan); }), costs) {}

TaskGraph::TaskGraph(const Netlist& netlist, const RefreshPlan& plan, NoiseBound refreshed_noise,
                     const std::vector<WireValue>& present, const std::vector<WireValue>& wanted,
                     const TaskCosts& costs) {
  reporting_memory([&] {
    operands_.start.push_back(0);
    const TaskOrder order(netlist, plan.refreshed, present, wanted);
    const auto noise_of = [&](const WireValue& value) {
      return value.refreshed ? refreshed_noise : plan.noise[value.wire];
    };
    std::ranges::copy_if(present, std::back_inserter(present_),
                         [&](const WireValue& value) { return order.is_kept(id_of(value)); });
    std::vector<ValueIndex> index(2 * netlist.wires());
    for (const WireValue& value : present_) {
      index[id_of(value)] = static_cast<ValueIndex>(present_noise_.size());
      present_noise_.push_back(noise_of(value));
    }
    for (const Id id : order.order()) {
      index[id] = static_cast<ValueIndex>(values());
      for (const Id operand : order.operands(id)) operands_.entries.push_back(index[operand]);
      operands_.start.push_back(operands_.entries.size());
      const WireValue makes = value_of(id);
      const TaskKind kind = kind_of(makes, netlist);
      tasks_.push_back({makes, kind, noise_of(makes), costs.of(kind)});
    }
    output_uses_.resize(values());
    for (const WireValue& value : wanted) {
      outputs_.push_back(index[id_of(value)]);
      ++output_uses_[outputs_.back()];
    }
    find_users();
    find_chains();
  });
}

void TaskGraph::find_users() {
  users_.start.resize(values() + 1);
  for (const ValueIndex operand : operands_.entries) ++users_.start[operand + 1];
  for (std::size_t i = 1; i < users_.start.size(); ++i) users_.start[i] += users_.start[i - 1];
  users_.entries.resize(operands_.entries.size());
  std::vector<std::size_t> next(users_.start.begin(), users_.start.end() - 1);
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    for (const ValueIndex operand : operands(task)) users_.entries[next[operand]++] = task;
  }
}

void TaskGraph::find_chains() {
  for (auto task = static_cast<TaskIndex>(tasks_.size()); task-- > 0;) {
    double after = 0;
    for (const TaskIndex user : users(made_by(task))) after = std::max(after, tasks_[user].chain);
    tasks_[task].chain = tasks_[task].cost + after;
    total_cost_ += tasks_[task].cost;
    longest_chain_ = std::max(longest_chain_, tasks_[task].chain);
  }
}

WireValue TaskGraph::name(ValueIndex value) const {
  return is_present(value) ? present_[value] : tasks_[maker(value)].makes;
}

NoiseBound TaskGraph::noise(ValueIndex value) const {
  return is_present(value) ? present_noise_[value] : tasks_[maker(value)].noise;
}

std::size_t TaskGraph::uses(ValueIndex value) const {
  return users(value).size() + output_uses_[value];
}

std::size_t TaskGraph::count(TaskKind kind) const {
  return static_cast<std::size_t>(std::ranges::count(tasks_, kind, &Task::kind));
}

// While task f is the first that is not done, all before it are, and those from f + window on have
// not started. So a value counts for f if it is present or its maker is before f + window, and if
// it is an output or has a user at f or later.
std::size_t TaskGraph::most_values(std::size_t window) const {
  const std::size_t end = tasks_.size();
  std::vector<std::ptrdiff_t> change(end + 2);  // of the number of values, by f
  for (ValueIndex value = 0; value < values(); ++value) {
    std::size_t first = 0;
    if (!is_present(value) && maker(value) >= window) first = maker(value) - window + 1;
    const std::span<const TaskIndex> used = users(value);
    const std::size_t last = output_uses_[value] > 0 || used.empty() ? end : used.back();
    ++change[first];
    --change[last + 1];
  }
  std::ptrdiff_t alive = 0;
  std::ptrdiff_t most = 0;
  for (const std::ptrdiff_t step : change) most = std::max(most, alive += step);
  return static_cast<std::size_t>(most);
}

std::size_t TaskGraph::window_within(std::optional<std::size_t> max_values) const {
  std::size_t fits = std::max<std::size_t>(tasks_.size(), 1);
  if (!max_values || most_values(fits) <= *max_values) return fits;
  if (const std::size_t needed = most_values(1); needed > *max_values) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the circuit keeps up to {} values at a time even when its gates run "
                            "one by one, more than the {} that were allowed: allow more memory",
                            needed, *max_values));
  }
  std::size_t exceeds = fits;
  fits = 1;
  while (exceeds - fits > 1) {
    const std::size_t middle = fits + (exceeds - fits) / 2;
    (most_values(middle) <= *max_values ? fits : exceeds) = middle;
  }
  return fits;
}

}  // namespace fhe
