// SPDX-License-Identifier: Apache-2.0
// Which rank of a cluster does which task of a circuit, and in which order the tasks are handed
// out: as list scheduling would do them if all workers were one machine. A function of its
// arguments, so that every rank finds the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/circuit/task_graph.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// Where and when.
struct FHE_EXPORT Placement {
  std::vector<TaskIndex> order;   // all tasks, by when they start
  std::vector<std::size_t> rank;  // by task
};

// A recryption or a product goes to the worker that is free first; a sum, which is done sooner than
// its operands are sent, to where its first operand is. What is present is on rank 0. Both numbers
// are at least 1; `workers` is that of each rank.
[[nodiscard]] FHE_EXPORT Placement place_tasks(const TaskGraph& graph, std::size_t ranks,
                                               std::size_t workers);

// The bytes that cross between ranks: `value_bytes` for each value and each rank that takes it and
// does not make it.
[[nodiscard]] FHE_EXPORT std::uint64_t moved_bytes(const TaskGraph& graph,
                                                   const Placement& placement,
                                                   std::uint64_t value_bytes);

}  // namespace fhe
