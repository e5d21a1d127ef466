// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/parts.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>

#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

// What is computed again wherever it is needed costs at most so much of the costliest task.
constexpr double kCheap = 1.0 / 20;

double costliest_task(const TaskGraph& graph) {
  double most = 0;
  for (const Task& task : graph.tasks()) most = std::max(most, task.cost);
  return most;
}

// By task: whether its result is kept for others, instead of being computed by each of them.
// Recryptions and outputs are, what many take unless it is cheap, and long chains now and then.
std::vector<bool> kept_tasks(const TaskGraph& graph, double least_cost) {
  const double costliest = costliest_task(graph);
  std::vector<bool> kept(graph.tasks().size());
  for (const ValueIndex value : graph.outputs()) {
    if (!graph.is_present(value)) kept[graph.maker(value)] = true;
  }
  std::vector<double> again(graph.tasks().size());  // what computing it anew takes, at most
  for (TaskIndex task = 0; task < graph.tasks().size(); ++task) {
    again[task] = graph.tasks()[task].cost;
    for (const ValueIndex value : graph.operands(task)) {
      if (!graph.is_present(value) && !kept[graph.maker(value)]) {
        again[task] += again[graph.maker(value)];
      }
    }
    const bool is_cheap = again[task] <= kCheap * costliest;
    const bool is_shared = graph.uses(graph.made_by(task)) > 1;
    if (graph.tasks()[task].kind == TaskKind::recryption || (is_shared && !is_cheap) ||
        again[task] > std::max(least_cost, costliest)) {
      kept[task] = true;
    }
  }
  return kept;
}

// A task whose result is kept, with all that is computed for it alone.
struct Step {
  TaskIndex task = 0;
  double cost = 0;
  double chain = 0;                // of the costliest chain of steps that begins with it
  std::vector<ValueIndex> takes;   // kept or present
  std::vector<std::size_t> users;  // steps that take its result
};

// The kept tasks of a graph, in their order.
class Steps {
 public:
  Steps(const TaskGraph& graph, double least_cost)
      : graph_(graph), place_(graph.tasks().size()), seen_(graph.values()) {
    const std::vector<bool> kept = kept_tasks(graph, least_cost);
    for (TaskIndex task = 0; task < graph.tasks().size(); ++task) {
      if (!kept[task]) continue;
      place_[task] = steps_.size() + 1;
      steps_.push_back({.task = task, .takes = {}, .users = {}});
      collect(steps_.back());
    }
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      for (const std::size_t maker : makers(step)) steps_[maker].users.push_back(step);
    }
    for (std::size_t step = steps_.size(); step-- > 0;) {
      double after = 0;
      for (const std::size_t user : steps_[step].users) {
        after = std::max(after, steps_[user].chain);
      }
      steps_[step].chain = steps_[step].cost + after;
    }
  }

  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  [[nodiscard]] const Step& operator[](std::size_t step) const { return steps_[step]; }

  // The steps whose results a step takes.
  [[nodiscard]] std::vector<std::size_t> makers(std::size_t step) const {
    std::vector<std::size_t> found;
    for (const ValueIndex value : steps_[step].takes) {
      if (!graph_.is_present(value)) found.push_back(place_[graph_.maker(value)] - 1);
    }
    return found;
  }

 private:
  // Finds what a step computes and takes, without recursion: chains are long.
  void collect(Step& step) {
    std::vector<TaskIndex> open{step.task};
    while (!open.empty()) {
      const TaskIndex task = open.back();
      open.pop_back();
      step.cost += graph_.tasks()[task].cost;
      for (const ValueIndex value : graph_.operands(task)) {
        if (std::exchange(seen_[value], steps_.size()) == steps_.size()) continue;
        if (graph_.is_present(value) || place_[graph_.maker(value)] != 0) {
          step.takes.push_back(value);
        } else {
          open.push_back(graph_.maker(value));
        }
      }
    }
    std::ranges::sort(step.takes);
  }

  const TaskGraph& graph_;
  std::vector<Step> steps_;
  std::vector<std::size_t> place_;  // by task: one more than its place in steps_; 0: not kept
  std::vector<std::size_t> seen_;   // by value: by how many steps' collection it was seen last
};

// List scheduling of steps, which collects what each worker does one after the other.
class PartSchedule {
 public:
  PartSchedule(const TaskGraph& graph, std::size_t workers, double least_cost)
      : graph_(graph),
        least_cost_(least_cost),
        steps_(graph, least_cost),
        missing_(steps_.size()),
        ends_(steps_.size()),
        part_of_(steps_.size()),
        current_(workers, kNone),
        ready_(LessUrgent{&steps_}) {
    for (std::size_t worker = 0; worker < workers; ++worker) free_.insert(worker);
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      missing_[step] = steps_.makers(step).size();
      if (missing_[step] == 0) ready_.push(step);
    }
  }

  std::vector<CircuitPart> run() {
    for (;;) {
      while (!free_.empty() && !ready_.empty()) start();
      if (running_.empty()) break;
      const auto [end, step, worker] = running_.top();
      running_.pop();
      now_ = end;
      free_.insert(worker);
      for (const std::size_t user : steps_[step].users) {
        if (--missing_[user] == 0) ready_.push(user);
      }
    }
    for (const std::size_t part : current_) {
      if (part != kNone) close(part);
    }
    return parts();
  }

 private:
  struct Running {
    double end;
    std::size_t step;
    std::size_t worker;

    friend auto operator<=>(const Running&, const Running&) = default;
  };
  struct LessUrgent {
    const Steps* steps;
    bool operator()(std::size_t x, std::size_t y) const {
      return std::pair((*steps)[x].chain, y) < std::pair((*steps)[y].chain, x);
    }
  };
  // What a worker does one after the other.
  struct Sequence {
    double start = 0;
    double cost = 0;
    bool is_closed = false;
    std::vector<std::size_t> steps;
  };

  void start() {
    const std::size_t step = ready_.top();
    ready_.pop();
    const std::size_t worker = worker_for(step);
    free_.erase(worker);
    join(step, worker);
    ends_[step] = now_ + steps_[step].cost;
    running_.push({ends_[step], step, worker});
  }

  // The free worker whose last part makes most of what a step takes.
  [[nodiscard]] std::size_t worker_for(std::size_t step) const {
    const std::vector<std::size_t> makers = steps_.makers(step);
    const auto made_by = [&](std::size_t worker) {
      return std::ranges::count_if(
          makers, [&](std::size_t maker) { return part_of_[maker] == current_[worker]; });
    };
    return *std::ranges::max_element(free_, {}, made_by);
  }

  // Puts a step into the part of its worker, where it could have started with that, or into a new
  // one. A part from which another one takes something is closed: so no two wait for each other.
  void join(std::size_t step, std::size_t worker) {
    std::size_t& mine = current_[worker];
    bool fits = mine != kNone && sequences_[mine].cost < least_cost_;
    for (const std::size_t maker : steps_.makers(step)) {
      if (part_of_[maker] == mine) continue;
      close(part_of_[maker]);
      fits = fits && ends_[maker] <= sequences_[mine].start;
    }
    if (!fits || sequences_[mine].is_closed) {
      if (mine != kNone) close(mine);
      mine = sequences_.size();
      sequences_.push_back({.start = now_, .steps = {}});
    }
    sequences_[mine].cost += steps_[step].cost;
    sequences_[mine].steps.push_back(step);
    part_of_[step] = mine;
  }

  void close(std::size_t part) {
    if (std::exchange(sequences_[part].is_closed, true)) return;
    closed_.push_back(part);
  }

  // In the order in which they were closed: then none takes what a later one gives.
  [[nodiscard]] std::vector<CircuitPart> parts() const {
    std::vector<bool> is_output(graph_.values());
    for (const ValueIndex value : graph_.outputs()) is_output[value] = true;
    std::vector<CircuitPart> result;
    for (const std::size_t part : closed_) {
      std::set<ValueIndex> takes;
      CircuitPart made{.takes = {}, .gives = {}, .cost = sequences_[part].cost};
      for (const std::size_t step : sequences_[part].steps) {
        takes.insert(steps_[step].takes.begin(), steps_[step].takes.end());
        const ValueIndex value = graph_.made_by(steps_[step].task);
        if (is_output[value] || std::ranges::any_of(steps_[step].users, [&](std::size_t user) {
              return part_of_[user] != part;
            })) {
          made.gives.push_back(graph_.name(value));
        }
      }
      for (const std::size_t step : sequences_[part].steps) {
        takes.erase(graph_.made_by(steps_[step].task));
      }
      for (const ValueIndex value : takes) made.takes.push_back(graph_.name(value));
      result.push_back(std::move(made));
    }
    return result;
  }

  static constexpr auto kNone = static_cast<std::size_t>(-1);

  const TaskGraph& graph_;
  double least_cost_;
  Steps steps_;
  std::vector<std::size_t> missing_;  // by step: what it takes and is not there yet
  std::vector<double> ends_;          // by step that was started
  std::vector<std::size_t> part_of_;  // by step that was started: its place in sequences_
  std::vector<Sequence> sequences_;
  std::vector<std::size_t> current_;  // by worker: the last sequence that it has begun, or kNone
  std::vector<std::size_t> closed_;
  double now_ = 0;
  std::set<std::size_t> free_;  // workers
  std::priority_queue<std::size_t, std::vector<std::size_t>, LessUrgent> ready_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
};

}  // namespace

std::vector<CircuitPart> split_into_parts(const TaskGraph& graph, std::size_t workers,
                                          double least_cost) {
  return reporting_memory([&] { return PartSchedule(graph, workers, least_cost).run(); });
}

}  // namespace fhe
