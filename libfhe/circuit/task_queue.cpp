// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/task_queue.hpp"

namespace fhe {

namespace {

TaskIndex popped(auto& queue) {
  const TaskIndex task = queue.top();
  queue.pop();
  return task;
}

}  // namespace

bool TaskQueue::LessUrgent::operator()(TaskIndex x, TaskIndex y) const {
  const double chain_x = graph->tasks()[x].chain;
  const double chain_y = graph->tasks()[y].chain;
  return chain_x < chain_y || (chain_x == chain_y && x > y);
}

TaskQueue::TaskQueue(const TaskGraph& graph, std::size_t window)
    : graph_(graph),
      window_(window),
      missing_(graph.tasks().size()),
      uses_left_(graph.values()),
      done_(graph.tasks().size()),
      gates_(LessUrgent{&graph}),
      recryptions_(LessUrgent{&graph}) {
  for (ValueIndex value = 0; value < graph.values(); ++value) {
    uses_left_[value] = graph.uses(value);
    if (graph.is_present(value)) continue;
    for (const TaskIndex user : graph.users(value)) ++missing_[user];
  }
  for (TaskIndex task = 0; task < missing_.size(); ++task) {
    if (missing_[task] == 0) add_ready(task);
  }
}

void TaskQueue::add_ready(TaskIndex task) {
  if (task >= first_ + window_) return later_.push(task);
  (graph_.tasks()[task].kind == TaskKind::recryption ? recryptions_ : gates_).push(task);
}

std::vector<TaskIndex> TaskQueue::take(std::size_t together) {
  if (ready() == 0) return {};
  const bool takes_gate =
      recryptions_.empty() ||
      (!gates_.empty() && LessUrgent{&graph_}(recryptions_.top(), gates_.top()));
  if (takes_gate) return {popped(gates_)};
  std::vector<TaskIndex> tasks;
  while (tasks.size() < together && !recryptions_.empty()) tasks.push_back(popped(recryptions_));
  return tasks;
}

std::vector<ValueIndex> TaskQueue::finish(TaskIndex task) {
  std::vector<ValueIndex> dead;
  for (const ValueIndex operand : graph_.operands(task)) {
    if (--uses_left_[operand] == 0) dead.push_back(operand);
  }
  done_[task] = true;
  move_window();
  for (const TaskIndex user : graph_.users(graph_.made_by(task))) {
    if (--missing_[user] == 0) add_ready(user);
  }
  return dead;
}

void TaskQueue::move_window() {
  while (first_ < done_.size() && done_[first_]) ++first_;
  while (!later_.empty() && later_.top() < first_ + window_) add_ready(popped(later_));
}

}  // namespace fhe
