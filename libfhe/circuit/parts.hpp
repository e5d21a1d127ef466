// SPDX-License-Identifier: Apache-2.0
// A planned circuit in parts, for executors whose workers share no memory and to which each thing
// that they hand out costs time: a part makes some values of the run from others, and whoever has
// the program and the key can do it (run_part in circuit/run.hpp).
//
// Threads: these are values, and functions of their arguments.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/circuit/task_graph.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// What makes some values from others.
struct FHE_EXPORT CircuitPart {
  std::vector<WireValue> takes;  // that are inputs, or given by parts before it
  std::vector<WireValue> gives;  // that parts after it take, or outputs
  double cost = 0;               // of its tasks, at most
};

// All tasks of a graph as parts, in an order in which they can be done one after the other. Each
// value is given by one part at most; what is cheaper to compute than a twentieth of the costliest
// task is computed by every part that needs it. Tasks that list scheduling (scheduled_cost) has one
// of `workers` >= 1 workers do one after the other become one part up to `least_cost`, unless a
// worker would have to wait for it: small tasks are handed out together, and where few can be done
// at a time parts stay small.
[[nodiscard]] FHE_EXPORT std::vector<CircuitPart> split_into_parts(const TaskGraph& graph,
                                                                   std::size_t workers,
                                                                   double least_cost);

}  // namespace fhe
