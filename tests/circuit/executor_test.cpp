// SPDX-License-Identifier: Apache-2.0
// The local executor on tasks that compute nothing: order, threads, memory, saves, ends.
#include "libfhe/circuit/executor.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "libfhe/arith/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuit_oracle.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/monitors.hpp"

namespace fhe::test {

namespace {

Ciphertext plain(std::size_t value) {
  return {Integer(static_cast<unsigned long>(value)), NoiseBound(), KeyId()};
}

// The tasks of a circuit whose every third wire is recrypted, done on numbers: a gate makes the
// number of its wire, and a recryption keeps it.
class NumberRun {
 public:
  explicit NumberRun(const Netlist& netlist)
      : plan_(plan_of(netlist)), graph_(netlist, plan_, NoiseBound(), input_values(netlist)) {}

  [[nodiscard]] const TaskGraph& graph() const { return graph_; }

  [[nodiscard]] Execution execution(const std::function<void(TaskIndex)>& visit = {}) {
    Execution execution{graph_, {}, {}};
    for (const WireValue& name : graph_.present()) execution.present.push_back(plain(name.wire));
    execution.do_tasks = [this, visit](const auto& tasks, const auto& operands) {
      std::vector<Ciphertext> results;
      std::size_t next = 0;
      for (const TaskIndex task : tasks) {
        if (visit) visit(task);
        check_operands(task, operands.subspan(next, graph_.operands(task).size()));
        next += graph_.operands(task).size();
        results.push_back(plain(graph_.tasks()[task].makes.wire));
      }
      largest_ = std::max<std::size_t>(largest_, tasks.size());
      return results;
    };
    return execution;
  }

  // Whether every task got the operands that it asked for.
  [[nodiscard]] bool all_right() const { return wrong_ == 0; }
  // The most tasks that were done together.
  [[nodiscard]] std::size_t largest() const { return largest_; }

  void check_outputs(const ExecutionResult& result) const {
    REQUIRE(result.outputs.size() == graph_.outputs().size());
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
      CHECK(result.outputs[i].value() == graph_.name(graph_.outputs()[i]).wire);
    }
    CHECK(all_right());
  }

 private:
  static RefreshPlan plan_of(const Netlist& netlist) {
    RefreshPlan plan;
    plan.noise.resize(netlist.wires());
    for (std::size_t wire = 0; wire < netlist.wires(); ++wire) {
      plan.refreshed.push_back(wire % 3 == 0);
    }
    return plan;
  }

  void check_operands(TaskIndex task, std::span<const Ciphertext* const> operands) {
    const auto wanted = graph_.operands(task);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (operands[k]->value() != graph_.name(wanted[k]).wire) ++wrong_;
    }
  }

  RefreshPlan plan_;
  TaskGraph graph_;
  std::atomic<std::size_t> wrong_{0};
  std::atomic<std::size_t> largest_{0};
};

}  // namespace

TEST_CASE("an executor does each task once, on any number of threads", "[circuit]") {
  NumberRun run(multiplier_circuit(10, Prefer::low_depth));
  for (const std::size_t threads : {1U, 2U, 9U}) {
    std::vector<std::atomic<int>> done(run.graph().tasks().size());
    run.check_outputs(
        LocalExecutor(threads).run(run.execution([&](TaskIndex task) { ++done[task]; }), {}));
    CHECK(std::ranges::all_of(done, [](const auto& times) { return times == 1; }));
  }
  std::vector<double> fractions;
  const Monitor monitor{.stop = {}, .progress = [&](std::string_view phase, double fraction) {
                          CHECK(phase == "circuit");
                          fractions.push_back(fraction);
                        }};
  run.check_outputs(LocalExecutor().run(run.execution(), monitor));
  CHECK(std::ranges::is_sorted(fractions));
  CHECK(fractions.back() == 1);
}

TEST_CASE("threads share recryptions, and take several where there are more", "[circuit]") {
  NumberRun run(multiplier_circuit(10, Prefer::low_depth));
  Execution execution = run.execution();
  execution.together = 4;
  run.check_outputs(LocalExecutor(1).run(std::move(execution), {}));
  CHECK(run.largest() == 4);
  NumberRun alone(multiplier_circuit(10, Prefer::low_depth));
  alone.check_outputs(LocalExecutor(1).run(alone.execution(), {}));
  CHECK(alone.largest() == 1);
}

TEST_CASE("a graph without tasks gives its inputs", "[circuit]") {
  NumberRun run(Netlist({{"x", 2}}, {}, {{"y", {1, 1}}}));
  run.check_outputs(LocalExecutor().run(run.execution(), {}));
}

TEST_CASE("an executor keeps to its memory, also while it saves", "[circuit]") {
  NumberRun run(multiplier_circuit(10));
  const std::size_t allowed = run.graph().most_values(1) + 3;
  for (const bool saves : {false, true}) {
    Execution execution = run.execution();
    execution.max_values = allowed;
    execution.together = 8;
    if (saves) {
      execution.saving = {[](const std::vector<LiveValue>&) {
                            std::this_thread::sleep_for(std::chrono::microseconds(200));
                          },
                          std::chrono::seconds(0)};
    }
    const ExecutionResult result = LocalExecutor(4).run(std::move(execution), {});
    CHECK(result.peak_values <= allowed);
    run.check_outputs(result);
  }
  Execution execution = run.execution();
  execution.max_values = run.graph().most_values(1) - 1;
  CHECK_THROWS_MATCHES(LocalExecutor().run(std::move(execution), {}), Error,
                       HasCode(ErrorCode::unsupported, "allow more memory"));
}

TEST_CASE("what is saved suffices to go on, at any moment", "[circuit]") {
  const Netlist netlist = multiplier_circuit(8);
  NumberRun run(netlist);
  std::size_t saves = 0;
  SavePolicy saving{{}, std::chrono::seconds(0)};
  saving.save = [&](const std::vector<LiveValue>& live) {
    ++saves;
    std::set<ValueIndex> there;
    for (const auto& [value, ciphertext] : live) {
      CHECK(ciphertext->value() == run.graph().name(value).wire);
      there.insert(value);
    }
    CHECK(there.size() == live.size());
    // Whatever is not there and was never made can be made of what is.
    std::vector<ValueIndex> needed(run.graph().outputs());
    while (!needed.empty()) {
      const ValueIndex value = needed.back();
      needed.pop_back();
      if (there.contains(value)) continue;
      REQUIRE(!run.graph().is_present(value));
      const auto operands = run.graph().operands(run.graph().maker(value));
      needed.insert(needed.end(), operands.begin(), operands.end());
      there.insert(value);
    }
  };
  for (const std::size_t threads : {1U, 4U}) {
    saves = 0;
    Execution execution = run.execution();
    execution.saving = saving;
    run.check_outputs(LocalExecutor(threads).run(std::move(execution), {}));
    // One thread saves each result; where others go on meanwhile, a save may hold many.
    CHECK(saves > (threads == 1 ? 100 : 0));
  }
}

TEST_CASE("saves wait for their time, but for the last one", "[circuit]") {
  NumberRun run(multiplier_circuit(8));
  std::size_t saves = 0;
  Execution execution = run.execution();
  execution.saving = {[&](const std::vector<LiveValue>&) { ++saves; }, std::chrono::hours(1)};
  run.check_outputs(LocalExecutor(2).run(std::move(execution), {}));
  CHECK(saves == 1);
}

TEST_CASE("an executor ends with the error of a task, of a save, or of a stop", "[circuit]") {
  NumberRun run(multiplier_circuit(8));
  const auto half = static_cast<TaskIndex>(run.graph().tasks().size() / 2);
  std::size_t saves = 0;
  const auto failing = [&](TaskIndex task) {
    if (task == half) throw std::domain_error("a task");
  };
  Execution execution = run.execution(failing);
  execution.saving = {[&](const std::vector<LiveValue>&) { ++saves; }, std::chrono::hours(1)};
  CHECK_THROWS_AS(LocalExecutor(3).run(std::move(execution), {}), std::domain_error);
  CHECK(saves == 1);  // what was done

  Execution unsaved = run.execution();
  unsaved.saving = {[&](const std::vector<LiveValue>&) {
                      ++saves;
                      throw std::logic_error("a save");
                    },
                    std::chrono::seconds(0)};
  CHECK_THROWS_AS(LocalExecutor(3).run(std::move(unsaved), {}), std::logic_error);
  CHECK(saves == 2);  // and no second attempt

  CHECK_THROWS_MATCHES(LocalExecutor().run(run.execution(), stopped_monitor()), Error,
                       HasCode(ErrorCode::stopped, ""));
}

}  // namespace fhe::test
