// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/scheduled_cost.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "libfhe/circuit/task_queue.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

double scheduled_cost(const TaskGraph& graph, std::size_t workers) {
  return reporting_memory([&] {
    TaskQueue queue(graph, std::max<std::size_t>(graph.tasks().size(), 1));
    using Running = std::pair<double, TaskIndex>;  // when it ends
    std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
    double now = 0;
    for (;;) {
      while (running.size() < workers && queue.ready() > 0) {
        const TaskIndex task = queue.take(1).front();
        running.emplace(now + graph.tasks()[task].cost, task);
      }
      if (running.empty()) return now;
      now = running.top().first;
      static_cast<void>(queue.finish(running.top().second));
      running.pop();
    }
  });
}

}  // namespace fhe
