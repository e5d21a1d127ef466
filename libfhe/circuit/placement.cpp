// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/placement.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>

#include "libfhe/circuit/task_queue.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

// List scheduling on the workers of all ranks.
class Simulation {
 public:
  Simulation(const TaskGraph& graph, std::size_t ranks, std::size_t workers)
      : graph_(graph), queue_(graph, std::max<std::size_t>(graph.tasks().size(), 1)) {
    placement_.rank.resize(graph.tasks().size());
    // Workers of all ranks in turn, so that the first tasks go to many ranks.
    for (std::size_t worker = 0; worker < workers; ++worker) {
      for (std::size_t rank = 0; rank < ranks; ++rank) free_.emplace(0.0, worker * ranks + rank);
    }
    ranks_ = ranks;
  }

  Placement run() {
    for (;;) {
      start_what_is_ready();
      if (running_.empty()) return std::move(placement_);
      const auto [end, worker, task] = running_.top();
      running_.pop();
      now_ = end;
      free_.emplace(end, worker);
      static_cast<void>(queue_.finish(task));
    }
  }

 private:
  struct Running {
    double end;
    std::size_t worker;
    TaskIndex task;

    friend auto operator<=>(const Running&, const Running&) = default;
  };
  using Free = std::pair<double, std::size_t>;  // since when, which worker

  [[nodiscard]] std::size_t rank_of_value(ValueIndex value) const {
    return graph_.is_present(value) ? 0 : placement_.rank[graph_.maker(value)];
  }

  void start_what_is_ready() {
    while (!free_.empty() && queue_.ready() > 0) {
      const TaskIndex task = queue_.take(1).front();
      placement_.order.push_back(task);
      if (graph_.tasks()[task].kind == TaskKind::sum) {
        const auto operands = graph_.operands(task);
        placement_.rank[task] = operands.empty() ? 0 : rank_of_value(operands.front());
        static_cast<void>(queue_.finish(task));
        continue;
      }
      const std::size_t worker = free_.top().second;
      free_.pop();
      placement_.rank[task] = worker % ranks_;
      running_.push({now_ + graph_.tasks()[task].cost, worker, task});
    }
  }

  const TaskGraph& graph_;
  TaskQueue queue_;
  std::size_t ranks_ = 1;
  double now_ = 0;
  Placement placement_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  std::priority_queue<Free, std::vector<Free>, std::greater<>> free_;
};

}  // namespace

Placement place_tasks(const TaskGraph& graph, std::size_t ranks, std::size_t workers) {
  return reporting_memory([&] { return Simulation(graph, ranks, workers).run(); });
}

std::uint64_t moved_bytes(const TaskGraph& graph, const Placement& placement,
                          std::uint64_t value_bytes) {
  return reporting_memory([&] {
    std::uint64_t moved = 0;
    for (ValueIndex value = 0; value < graph.values(); ++value) {
      std::set<std::size_t> takers;
      for (const TaskIndex user : graph.users(value)) takers.insert(placement.rank[user]);
      takers.erase(graph.is_present(value) ? 0 : placement.rank[graph.maker(value)]);
      moved += takers.size() * value_bytes;
    }
    return moved;
  });
}

}  // namespace fhe
