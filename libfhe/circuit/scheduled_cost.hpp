// SPDX-License-Identifier: Apache-2.0
// How long the tasks of a circuit take on any number of workers, by simulation.
#pragma once

#include <cstddef>

#include "libfhe/circuit/task_graph.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// How long list scheduling takes for all tasks on `workers` >= 1 workers, in the unit of the
// graph's costs: a worker that is free takes the ready task with the costliest chain of tasks
// behind it. It is at least total_cost() / workers and longest_chain(), and at most the sum of both
// (Graham, SIAM J. Appl. Math. 17 (1969), p. 416), so at most twice what the best schedule takes.
[[nodiscard]] FHE_EXPORT double scheduled_cost(const TaskGraph& graph, std::size_t workers);

}  // namespace fhe
