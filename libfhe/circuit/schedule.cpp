// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/schedule.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <queue>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

// Values are numbered: 2 * wire, and one more when recrypted.
using Id = std::size_t;
using Position = std::uint32_t;  // in the order of the operations

Id id_of(const WireValue& value) {
  return 2 * Id{value.wire} + (value.refreshed ? 1 : 0);
}

WireValue value_of(Id id) {
  return {static_cast<Wire>(id / 2), id % 2 != 0};
}

// What is to be done, in an order in which it could be done one by one: every operation just before
// the first that uses its result, so that few values wait.
class OperationOrder {
 public:
  OperationOrder(const Netlist& netlist, const std::vector<bool>& refreshed,
                 const std::vector<WireValue>& present)
      : netlist_(netlist),
        refreshed_(refreshed),
        present_(2 * netlist.wires()),
        needed_(2 * netlist.wires()),
        uses_(2 * netlist.wires()) {
    for (const WireValue& value : present) present_[id_of(value)] = true;
    find_needed();
    find_order();
    count_uses();
  }

  [[nodiscard]] const std::vector<Id>& order() const { return order_; }
  // How many operations use a value; being an output counts as one more use.
  [[nodiscard]] const std::vector<Position>& uses() const { return uses_; }
  // Whether a value is there from the start and needed.
  [[nodiscard]] bool kept(Id id) const { return present_[id] && needed_[id]; }

  // What the operation that makes a value uses, each once.
  [[nodiscard]] std::vector<Id> operands(Id id) const {
    const WireValue value = value_of(id);
    if (value.refreshed) return {id - 1};
    std::vector<Id> used;
    const Gate* const gate = netlist_.driver(value.wire);
    for (std::size_t k = 0; gate != nullptr && k < gate_inputs(gate->kind); ++k) {
      const Id input = in_use(gate->inputs.at(k));
      if (std::ranges::find(used, input) == used.end()) used.push_back(input);
    }
    return used;
  }

 private:
  [[nodiscard]] Id in_use(Wire wire) const { return id_of(value_in_use(wire, refreshed_)); }

  void find_needed() {
    for (const Wire wire : netlist_.output_wires()) needed_[in_use(wire)] = true;
    for (Id id = needed_.size(); id-- > 0;) {
      if (!needed_[id] || present_[id]) continue;
      for (const Id operand : operands(id)) needed_[operand] = true;
    }
  }

  [[nodiscard]] bool to_do(Id id) const { return needed_[id] && !present_[id]; }

  // Depth first from the outputs, without recursion: chains are long.
  void find_order() {
    std::vector<bool> placed(needed_.size());
    std::vector<Id> path;
    const auto open = [&](Id id) { return to_do(id) && !placed[id]; };
    for (const Wire wire : netlist_.output_wires()) {
      path.push_back(in_use(wire));
      while (!path.empty()) {
        const Id id = path.back();
        const std::vector<Id> used = operands(id);
        const auto missing = std::ranges::find_if(used, open);
        if (open(id) && missing != used.end()) {
          path.push_back(*missing);
          continue;
        }
        if (open(id)) order_.push_back(id);
        placed[id] = true;
        path.pop_back();
      }
    }
  }

  void count_uses() {
    for (const Id id : order_) {
      for (const Id operand : operands(id)) ++uses_[operand];
    }
    for (const Wire wire : netlist_.output_wires()) ++uses_[in_use(wire)];
  }

  const Netlist& netlist_;
  const std::vector<bool>& refreshed_;
  std::vector<bool> present_;
  std::vector<bool> needed_;
  std::vector<Position> uses_;
  std::vector<Id> order_;
};

// Forms batches of what is ready among the next `window` operations of the order.
class Batching {
 public:
  explicit Batching(const OperationOrder& operations)
      : operations_(operations),
        missing_(operations.order().size()),
        users_(operations.uses().size()) {
    for (Position at = 0; at < operations.order().size(); ++at) {
      for (const Id operand : operations.operands(operations.order()[at]))
        users_[operand].push_back(at);
    }
  }

  Schedule run(std::size_t window) {
    start();
    Schedule schedule;
    schedule.peak_values = alive_;
    for (std::size_t first = 0; first < done_.size();) {
      Batch batch = take_batch(first + window);
      schedule.peak_values = std::max(schedule.peak_values, alive_ + batch.operations.size());
      finish(batch);
      schedule.batches.push_back(std::move(batch));
      while (first < done_.size() && done_[first]) ++first;
    }
    schedule.operations = operations_.order().size();
    schedule.recryptions = static_cast<std::size_t>(
        std::ranges::count_if(operations_.order(), [](Id id) { return value_of(id).refreshed; }));
    return schedule;
  }

 private:
  using Ready = std::priority_queue<Position, std::vector<Position>, std::greater<>>;

  void start() {
    uses_left_ = operations_.uses();
    done_.assign(operations_.order().size(), false);
    ready_ = {};
    alive_ = 0;
    for (Id id = 0; id < uses_left_.size(); ++id) alive_ += operations_.kept(id) ? 1U : 0U;
    for (Position at = 0; at < missing_.size(); ++at) {
      missing_[at] = 0;
      for (const Id operand : operations_.operands(operations_.order()[at])) {
        missing_[at] += operations_.kept(operand) ? 0U : 1U;
      }
      if (missing_[at] == 0) ready_.push(at);
    }
  }

  // The first operation that is not done is always ready: the order is one that could be run.
  Batch take_batch(std::size_t end) {
    Batch batch;
    taken_.clear();
    while (!ready_.empty() && ready_.top() < end) {
      taken_.push_back(ready_.top());
      batch.operations.push_back(value_of(operations_.order()[ready_.top()]));
      ready_.pop();
    }
    return batch;
  }

  void finish(Batch& batch) {
    alive_ += taken_.size();
    for (const Position at : taken_) {
      done_[at] = true;
      const Id made = operations_.order()[at];
      for (const Id operand : operations_.operands(made)) {
        if (--uses_left_[operand] > 0) continue;
        batch.dead.push_back(value_of(operand));
        --alive_;
      }
      for (const Position user : users_[made]) {
        if (--missing_[user] == 0) ready_.push(user);
      }
    }
  }

  const OperationOrder& operations_;
  std::vector<Position> missing_;             // by operation: operands that are not there yet
  std::vector<std::vector<Position>> users_;  // by value: the operations that use it
  std::vector<Position> uses_left_;
  std::vector<bool> done_;
  Ready ready_;
  std::vector<Position> taken_;
  std::size_t alive_ = 0;
};

}  // namespace

Schedule make_schedule(const Netlist& netlist, const std::vector<bool>& refreshed,
                       const std::vector<WireValue>& present,
                       std::optional<std::size_t> max_values) {
  return reporting_memory([&] {
    const OperationOrder operations(netlist, refreshed, present);
    Batching batching(operations);
    std::size_t window = std::max<std::size_t>(operations.order().size(), 1);
    Schedule schedule = batching.run(window);
    while (max_values && schedule.peak_values > *max_values && window > 1) {
      window = (window + 1) / 2;
      schedule = batching.run(window);
    }
    if (max_values && schedule.peak_values > *max_values) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("the circuit keeps up to {} values at a time even when its gates run "
                              "one by one, more than the {} that were allowed: allow more memory",
                              schedule.peak_values, *max_values));
    }
    std::ranges::copy_if(present, std::back_inserter(schedule.unused),
                         [&](const WireValue& value) { return !operations.kept(id_of(value)); });
    return schedule;
  });
}

}  // namespace fhe
