// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/executor.hpp"
#include "libfhe/circuit/task_queue.hpp"
#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

using Clock = std::chrono::steady_clock;

// A fifth of the minute that a run may lose to a kill: so long at most may recryptions take that
// are done together, since none of them is there before all are.
constexpr std::chrono::duration<double> kLongestTogether(12);

// The shares of tasks in the progress.
std::size_t steps_of(const Task& task) {
  return static_cast<std::size_t>(std::llround(std::max(1.0, task.cost)));
}

std::size_t total_steps(const TaskGraph& graph) {
  return std::transform_reduce(graph.tasks().begin(), graph.tasks().end(), std::size_t{0},
                               std::plus<>(), steps_of);
}

// One run. Its calls of step() are made by any number of threads; what they share is behind a lock,
// which nobody holds while tasks are done or values are written.
class LocalRun {
 public:
  LocalRun(Execution execution, std::size_t threads, const Monitor& monitor)
      : execution_(std::move(execution)),
        graph_(execution_.graph),
        threads_(threads),
        monitor_(monitor),
        queue_(graph_, graph_.window_within(execution_.max_values)),
        values_(graph_.values()),
        alive_(graph_.present().size()),
        peak_(alive_),
        progress_(monitor, "circuit", total_steps(graph_)),
        saved_at_(Clock::now()) {
    std::ranges::move(execution_.present, values_.begin());
  }

  // How many calls of step() the run begins with.
  [[nodiscard]] std::size_t first_calls() const { return queue_.ready(); }

  // Does what is most urgent, if there is anything, and then sums as long as there are any: they
  // take less time than to have another thread do them. Returns how many other tasks can be started
  // since.
  std::size_t step() {
    std::size_t startable = 0;
    for (bool takes_any = true;; takes_any = false) {
      monitor_.throw_if_stopped();
      const std::vector<TaskIndex> tasks = begin(takes_any);
      if (tasks.empty()) return startable;
      // The call was meant for another task, which still waits for one.
      if (takes_any && graph_.tasks()[tasks.front()].kind == TaskKind::sum) ++startable;
      const Clock::time_point start = Clock::now();
      std::vector<Ciphertext> results = execution_.do_tasks(tasks, operands_of(tasks));
      startable += end(tasks, std::move(results), Clock::now() - start);
      for (const TaskIndex task : tasks) progress_.advance(steps_of(graph_.tasks()[task]));
      if (begin_saving()) startable += save();
    }
  }

  // After the last step, or one that has thrown.
  void save_rest() {
    if (is_worth_saving_ && !saving_failed_ && execution_.saving.save) save();
  }

  // After all steps.
  ExecutionResult result() {
    ExecutionResult result{{}, peak_};
    std::map<ValueIndex, std::size_t> taken;
    for (const ValueIndex value : graph_.outputs()) {
      const auto [place, is_new] = taken.try_emplace(value, result.outputs.size());
      result.outputs.push_back(is_new ? *std::move(values_[value]) : result.outputs[place->second]);
    }
    return result;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  // Takes the most urgent tasks, or a sum, and room for their results; or nothing: where there is
  // no room beside what is being saved, whoever saves will call for them.
  std::vector<TaskIndex> begin(bool takes_any) {
    const Lock lock(mutex_);
    if (execution_.max_values && !buried_.empty() &&
        alive_ + buried_.size() >= *execution_.max_values) {
      refused_ = queue_.ready();
      return {};
    }
    std::vector<TaskIndex> tasks = takes_any ? queue_.take(share()) : queue_.take_sum();
    alive_ += tasks.size();
    peak_ = std::max(peak_, alive_ + buried_.size());
    return tasks;
  }

  // How many recryptions a thread takes: as many as leave some for the others.
  [[nodiscard]] std::size_t share() const {
    const std::size_t each = (queue_.ready(TaskKind::recryption) + threads_ - 1) / threads_;
    return std::clamp<std::size_t>(each, 1, most_together());
  }

  [[nodiscard]] std::size_t most_together() const {
    if (!execution_.saving.save || recryption_.count() == 0) return execution_.together;
    const double fit = std::floor(kLongestTogether / recryption_);
    return static_cast<std::size_t>(std::clamp(fit, 1.0, static_cast<double>(execution_.together)));
  }

  // Values that tasks use stay where they are until those tasks have ended.
  [[nodiscard]] std::vector<const Ciphertext*> operands_of(const std::vector<TaskIndex>& tasks) {
    std::vector<const Ciphertext*> operands;
    for (const TaskIndex task : tasks) {
      for (const ValueIndex value : graph_.operands(task)) operands.push_back(&*values_[value]);
    }
    return operands;
  }

  std::size_t end(const std::vector<TaskIndex>& tasks, std::vector<Ciphertext> results,
                  Clock::duration took) {
    const Lock lock(mutex_);
    const std::size_t before = not_sums();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      values_[graph_.made_by(tasks[i])] = std::move(results[i]);
      for (const ValueIndex value : queue_.finish(tasks[i])) bury(value);
      const TaskKind kind = graph_.tasks()[tasks[i]].kind;
      is_worth_saving_ = is_worth_saving_ || kind != TaskKind::sum;
      if (kind == TaskKind::recryption) recryption_ = took / static_cast<double>(tasks.size());
    }
    return not_sums() - before;
  }

  [[nodiscard]] std::size_t not_sums() const {
    return queue_.ready() - queue_.ready(TaskKind::sum);
  }

  // What is being written stays until it is.
  void bury(ValueIndex value) {
    --alive_;
    if (is_saving_) {
      buried_.push_back(value);
    } else {
      values_[value].reset();
    }
  }

  [[nodiscard]] bool begin_saving() {
    const Lock lock(mutex_);
    if (!execution_.saving.save || is_saving_ || !is_worth_saving_ ||
        Clock::now() - saved_at_ < execution_.saving.interval) {
      return false;
    }
    return is_saving_ = true;
  }

  // Returns how many tasks had to wait meanwhile for want of room.
  std::size_t save() {
    const std::vector<LiveValue> values = live_values();
    try {
      execution_.saving.save(values);
    } catch (...) {
      saving_failed_ = true;
      throw;
    }
    const Lock lock(mutex_);
    is_saving_ = false;
    saved_at_ = Clock::now();
    for (const ValueIndex value : buried_) values_[value].reset();
    buried_.clear();
    return std::exchange(refused_, 0);
  }

  std::vector<LiveValue> live_values() {
    const Lock lock(mutex_);
    is_worth_saving_ = false;
    std::vector<LiveValue> live;
    for (ValueIndex value = 0; value < values_.size(); ++value) {
      if (values_[value]) live.push_back({value, &*values_[value]});
    }
    return live;
  }

  Execution execution_;
  const TaskGraph& graph_;
  std::size_t threads_;
  const Monitor& monitor_;
  std::mutex mutex_;
  TaskQueue queue_;
  std::vector<std::optional<Ciphertext>> values_;
  std::size_t alive_;  // values that are there or being made, and needed
  std::size_t peak_;
  Progress progress_;
  std::chrono::duration<double> recryption_{};  // how long the last one took
  bool is_worth_saving_ = false;                // whether a product or a recryption is not saved
  bool is_saving_ = false;
  bool saving_failed_ = false;
  Clock::time_point saved_at_;
  std::vector<ValueIndex> buried_;  // what nothing needs any more, but is being saved
  std::size_t refused_ = 0;
};

}  // namespace

ExecutionResult LocalExecutor::run(Execution execution, const Monitor& monitor) const {
  return reporting_memory([&] {
    LocalRun run(std::move(execution), threads_.value_or(thread_count()), monitor);
    try {
      parallel_work(
          run.first_calls(), [&] { return run.step(); }, threads_);
    } catch (...) {
      // What ended the run is what its caller hears of.
      try {
        run.save_rest();
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
      }
      throw;
    }
    run.save_rest();
    return run.result();
  });
}

}  // namespace fhe
