// SPDX-License-Identifier: Apache-2.0
// A planned circuit as tasks: gates and recryptions, what each needs, and how much work comes after
// it. An Executor (circuit/executor.hpp) runs them in any order that keeps to what they need.
//
// Threads: a TaskGraph is immutable and may be shared.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/refresh_plan.hpp"
#include "libfhe/export.hpp"
#include "libfhe/scheme/noise.hpp"

namespace fhe {

// A value of a run: a wire as its gate made it, or recrypted.
struct FHE_EXPORT WireValue {
  Wire wire = 0;           // of the circuit
  bool refreshed = false;  // whether it is the recrypted value

  friend auto operator<=>(const WireValue&, const WireValue&) = default;
};

// The value that the users of this wire take.
[[nodiscard]] inline WireValue value_in_use(Wire wire, const std::vector<bool>& refreshed) {
  return {wire, refreshed[wire]};
}

// What a task does.
enum class TaskKind : std::uint8_t {
  sum,         // a gate without a product: XOR, NOT, a constant
  product,     // a gate that costs an AND
  recryption,  // of a wire
};

// How long tasks take, by kind, in seconds or any other unit. The defaults are in sums, and typical
// of all groups.
struct FHE_EXPORT TaskCosts {
  double sum = 1;            // of a TaskKind::sum
  double product = 16;       // of a TaskKind::product
  double recryption = 1000;  // of a TaskKind::recryption

  // That of a kind.
  [[nodiscard]] double of(TaskKind kind) const;
};

// Numbers of tasks, and of values: first those that are there from the start, then what the tasks
// make, in their order.
using TaskIndex = std::uint32_t;
using ValueIndex = std::uint32_t;

// A gate or a recryption.
struct FHE_EXPORT Task {
  WireValue makes;                // its result
  TaskKind kind = TaskKind::sum;  // what it does
  NoiseBound noise;               // of its result
  double cost = 0;                // of itself
  double chain = 0;               // of the costliest chain of tasks that begins with it
};

// The tasks of a planned circuit, and the values that they take and make.
class FHE_EXPORT TaskGraph {
 public:
  // What makes the outputs of the circuit from the values that are present: all input wires, or
  // what a checkpoint held. `plan` is of this circuit and says what is recrypted, and the noise.
  // Tasks and present values that nothing needs are left out.
  TaskGraph(const Netlist& netlist, const RefreshPlan& plan, NoiseBound refreshed_noise,
            const std::vector<WireValue>& present, const TaskCosts& costs = {});
  // The same for other values than the outputs of the circuit, which become outputs(). Throws
  // Error(invalid_argument) for values of other wires, or those that need an input that is not
  // present.
  TaskGraph(const Netlist& netlist, const RefreshPlan& plan, NoiseBound refreshed_noise,
            const std::vector<WireValue>& present, const std::vector<WireValue>& wanted,
            const TaskCosts& costs = {});

  // The tasks, in an order in which they can be done one after the other: each just before the
  // first one that uses its result, so that few values wait.
  [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; }
  // The values that are there from the start and needed.
  [[nodiscard]] const std::vector<WireValue>& present() const { return present_; }
  // How many values there are: those that are present, and one for each task.
  [[nodiscard]] std::size_t values() const { return present_.size() + tasks_.size(); }
  // The number of the value that a task makes, and the task that makes a value that is not present.
  [[nodiscard]] ValueIndex made_by(TaskIndex task) const {
    return static_cast<ValueIndex>(present_.size() + task);
  }
  [[nodiscard]] bool is_present(ValueIndex value) const { return value < present_.size(); }
  [[nodiscard]] TaskIndex maker(ValueIndex value) const {
    return static_cast<TaskIndex>(value - present_.size());
  }
  // Which value it is, and the bound of its noise.
  [[nodiscard]] WireValue name(ValueIndex value) const;
  [[nodiscard]] NoiseBound noise(ValueIndex value) const;

  // What a task takes, in the order of its gate's inputs; a value may stand there twice.
  [[nodiscard]] std::span<const ValueIndex> operands(TaskIndex task) const {
    return operands_.of(task);
  }
  // The tasks that take a value, in their order, as often as they take it.
  [[nodiscard]] std::span<const TaskIndex> users(ValueIndex value) const {
    return users_.of(value);
  }
  // The values of the output wires, one word after the other, or those that were wanted; a value
  // may stand there twice.
  [[nodiscard]] const std::vector<ValueIndex>& outputs() const { return outputs_; }
  // How often a value is taken, by tasks and as an output.
  [[nodiscard]] std::size_t uses(ValueIndex value) const;

  // Number of tasks of a kind.
  [[nodiscard]] std::size_t count(TaskKind kind) const;
  // The costs of all tasks, and of the costliest chain: no number of workers needs less than that.
  [[nodiscard]] double total_cost() const { return total_cost_; }
  [[nodiscard]] double longest_chain() const { return longest_chain_; }

  // The most values at any time, results of running tasks included, if no task starts before all
  // tasks that come `window` >= 1 or more places before it are done.
  [[nodiscard]] std::size_t most_values(std::size_t window) const;
  // The largest window that keeps at most `max_values` values; without a limit, as many as there
  // are tasks. Throws Error(unsupported), with the number that is needed, when one is too many.
  [[nodiscard]] std::size_t window_within(std::optional<std::size_t> max_values) const;

 private:
  // Lists of numbers, one after the other.
  struct Lists {
    std::vector<std::size_t> start;  // of each list, and the end of the last one
    std::vector<std::uint32_t> entries;

    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t list) const {
      return std::span(entries).subspan(start[list], start[list + 1] - start[list]);
    }
  };

  void find_users();
  void find_chains();

  std::vector<WireValue> present_;
  std::vector<NoiseBound> present_noise_;
  std::vector<Task> tasks_;
  Lists operands_;  // by task
  Lists users_;     // by value
  std::vector<ValueIndex> outputs_;
  std::vector<std::uint32_t> output_uses_;  // by value
  double total_cost_ = 0;
  double longest_chain_ = 0;
};

}  // namespace fhe
