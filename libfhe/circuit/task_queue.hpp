// SPDX-License-Identifier: Apache-2.0
// Which tasks of a graph can be started, and which of them first: those with the costliest chain of
// tasks behind them, as list scheduling has it. Not installed.
//
// Threads: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <queue>
#include <vector>

#include "libfhe/circuit/task_graph.hpp"

namespace fhe {

class TaskQueue {
 public:
  // No task starts before all tasks are done that come `window` or more places before it.
  TaskQueue(const TaskGraph& graph, std::size_t window);

  // How many tasks can be started now, and how many of one kind.
  [[nodiscard]] std::size_t ready() const;
  [[nodiscard]] std::size_t ready(TaskKind kind) const { return queue_of(kind).size(); }

  // The most urgent task that can be started, and, where that is a recryption, the next ones of
  // them up to `together` >= 1 in all. Empty when none can be started.
  [[nodiscard]] std::vector<TaskIndex> take(std::size_t together);
  // The most urgent sum, if there is one.
  [[nodiscard]] std::vector<TaskIndex> take_sum();

  // Says that a task is done; others may be ready then. Returns the values that nothing takes any
  // more.
  [[nodiscard]] std::vector<ValueIndex> finish(TaskIndex task);

 private:
  // By urgency: the top has the costliest chain and, among equals, comes first.
  struct LessUrgent {
    const TaskGraph* graph;
    bool operator()(TaskIndex x, TaskIndex y) const;
  };
  using Urgent = std::priority_queue<TaskIndex, std::vector<TaskIndex>, LessUrgent>;
  using Earliest = std::priority_queue<TaskIndex, std::vector<TaskIndex>, std::greater<>>;

  [[nodiscard]] const Urgent& queue_of(TaskKind kind) const {
    return ready_.at(static_cast<std::size_t>(kind));
  }
  void add_ready(TaskIndex task);
  void move_window();

  const TaskGraph& graph_;
  std::size_t window_;
  std::vector<std::size_t> missing_;    // by task: operands that are not there yet
  std::vector<std::size_t> uses_left_;  // by value
  std::vector<bool> done_;              // by task
  std::size_t first_ = 0;               // the first task that is not done
  std::array<Urgent, 3> ready_;         // by kind
  Earliest later_;                      // ready, but past the window
};

}  // namespace fhe
