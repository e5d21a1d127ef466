// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/scale_tasks.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/compute.hpp"
#include "libfhe/circuit/netlist_files.hpp"

namespace fhe::bench {

namespace {

using Clock = std::chrono::steady_clock;

// Whether a secret word of 16 bits is among 64 public ones: a place for each, like private_search.
Bool search(const Uint<16>& keyword) {
  Bool found = false;
  for (unsigned i = 0; i < 64; ++i) found |= keyword == Uint<16>(i * 997);
  return found;
}

template <class Operation>
double seconds_of(const Operation& operation) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    operation();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count());
  }
  return least;
}

// Sleeps, so that workers need no cores of their own. Short tasks are saved up until it is worth
// it, and what a sleep takes longer than it was to is taken off the next one.
void take(double seconds) {
  constexpr double kShortest = 1e-3;
  thread_local double owed = 0;
  owed += seconds;
  if (owed < kShortest) return;
  const auto start = Clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(owed));
  owed -= std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

std::vector<NamedCircuit> scale_circuits(const ScaleOptions& options) {
  std::vector<NamedCircuit> result;
  result.reserve(options.circuits.size());
  for (const std::string& path : options.circuits) {
    result.push_back({std::filesystem::path(path).filename().string(), load_netlist(path)});
  }
  if (!result.empty()) return result;
  result.push_back({"multiply32", traced<Uint<32>, Uint<32>>(
                                      [](const auto& x, const auto& y) { return x * y; })});
  result.push_back({"search64", traced<Uint<16>>(search)});
  return result;
}

TaskCosts scale_costs(const Evaluator& evaluator, const ScaleOptions& options) {
  if (options.recryption_seconds > 0) {
    const TaskCosts usual;
    const double unit = options.recryption_seconds / usual.recryption;
    return {usual.sum * unit, usual.product * unit, options.recryption_seconds};
  }
  const ThreadLimit one(1);
  const Ciphertext refreshed = evaluator.recrypt(evaluator.constant(true));
  return {
      .sum = seconds_of([&] { static_cast<void>(evaluator.xor_gate(refreshed, refreshed)); }),
      .product = seconds_of([&] { static_cast<void>(evaluator.and_gate(refreshed, refreshed)); }),
      .recryption = seconds_of([&] { static_cast<void>(evaluator.recrypt(refreshed)); })};
}

double sleeping_seconds(const TaskGraph& graph, const Executor& executor) {
  const Ciphertext nothing(Integer(0), NoiseBound(), KeyId());
  Execution execution{graph, std::vector(graph.present().size(), nothing), {}};
  execution.do_tasks = [&](std::span<const TaskIndex> tasks, const auto& /*operands*/) {
    for (const TaskIndex task : tasks) take(graph.tasks()[task].cost);
    return std::vector(tasks.size(), nothing);
  };
  const auto start = Clock::now();
  static_cast<void>(executor.run(std::move(execution), {}));
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace fhe::bench
