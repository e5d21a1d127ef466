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
      ready_{Urgent(LessUrgent{&graph}), Urgent(LessUrgent{&graph}), Urgent(LessUrgent{&graph})} {
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
  ready_.at(static_cast<std::size_t>(graph_.tasks()[task].kind)).push(task);
}

std::size_t TaskQueue::ready() const {
  return ready(TaskKind::sum) + ready(TaskKind::product) + ready(TaskKind::recryption);
}

std::vector<TaskIndex> TaskQueue::take(std::size_t together) {
  Urgent* first = nullptr;
  for (Urgent& queue : ready_) {
    if (queue.empty()) continue;
    if (first == nullptr || LessUrgent{&graph_}(first->top(), queue.top())) first = &queue;
  }
  if (first == nullptr) return {};
  std::vector<TaskIndex> tasks{popped(*first)};
  if (first != &ready_.back()) return tasks;  // recryptions are the last kind
  while (tasks.size() < together && !first->empty()) tasks.push_back(popped(*first));
  return tasks;
}

std::vector<TaskIndex> TaskQueue::take_sum() {
  Urgent& sums = ready_.front();
  if (sums.empty()) return {};
  return {popped(sums)};
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
