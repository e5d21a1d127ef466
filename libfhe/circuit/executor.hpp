// SPDX-License-Identifier: Apache-2.0
// Who runs the tasks of a circuit: an Executor, which says when and where each is done. The local
// one uses the threads of this process; others use other machines (libfhe/cluster) or whatever a
// program brings.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "libfhe/circuit/task_graph.hpp"
#include "libfhe/export.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/ciphertext.hpp"

namespace fhe {

// Does tasks: one gate, or as many recryptions as an executor likes to have done together. Given
// the operands of one after the other (TaskGraph::operands), returns their results in the same
// order. A function of its arguments alone; called by several threads at once.
using DoTasks = std::function<std::vector<Ciphertext>(std::span<const TaskIndex> tasks,
                                                      std::span<const Ciphertext* const> operands)>;

// A value that a run could go on from.
struct FHE_EXPORT LiveValue {
  ValueIndex value = 0;                    // its number in the graph
  const Ciphertext* ciphertext = nullptr;  // valid during the call that it is given to
};

// How an executor saves the values that it has and needs.
struct FHE_EXPORT SavePolicy {
  // Called by one thread at a time; the values are in the order of their numbers, and those of one
  // call suffice to go on. What it throws ends the run. Empty: nothing is saved.
  std::function<void(const std::vector<LiveValue>&)> save = {};
  // How long a product or a recryption that is done may wait to be saved. Zero: not at all.
  std::chrono::duration<double> interval = std::chrono::seconds(20);
};

// All that an executor needs to run the tasks of a graph.
struct FHE_EXPORT Execution {
  const TaskGraph& graph;                      // must outlive the run
  std::vector<Ciphertext> present;             // the values of graph.present(), in its order
  DoTasks do_tasks;                            // how tasks are done
  std::size_t together = 1;                    // at most so many recryptions gain by being together
  std::optional<std::size_t> max_values = {};  // that may be kept at a time; none: no limit
  SavePolicy saving = {};                      // what is saved, and when
};

// What a run of all tasks gives.
struct FHE_EXPORT ExecutionResult {
  std::vector<Ciphertext> outputs;  // the values of graph.outputs(), in its order
  std::size_t peak_values = 0;      // kept at the same time
};

// Threads: const; may run several graphs at once.
class FHE_EXPORT Executor {
 public:
  virtual ~Executor() = default;

  // Does all tasks. Progress is reported as phase "circuit", by costs. When a task, a save or a
  // stop ends the run early, what is done by then is saved if saving has not failed. Throws what
  // do_tasks and save throw; Error(unsupported) when max_values are too few; Error(stopped).
  [[nodiscard]] virtual ExecutionResult run(Execution execution, const Monitor& monitor) const = 0;

  // For an executor of several processes, which all call run() with the same graph: whether this is
  // the one whose values count, that saves and gets the outputs; and the bytes of that one, for
  // all.
  [[nodiscard]] virtual bool is_first() const { return true; }
  [[nodiscard]] virtual std::vector<std::byte> from_first(std::vector<std::byte> bytes) const {
    return bytes;
  }
};

// Runs tasks on the threads of this process as soon as what they need is there, those with the most
// work behind them first.
class FHE_EXPORT LocalExecutor final : public Executor {
 public:
  // On as many threads as the ThreadLimit allows; or, for work that waits more than it computes, on
  // `threads` >= 1, of which there may be more than the machine has.
  explicit LocalExecutor(std::optional<std::size_t> threads = {}) : threads_(threads) {}

  [[nodiscard]] ExecutionResult run(Execution execution, const Monitor& monitor) const override;

 private:
  std::optional<std::size_t> threads_;
};

}  // namespace fhe
