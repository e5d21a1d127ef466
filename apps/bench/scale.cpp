// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/scale.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "apps/bench/results.hpp"
#include "apps/bench/scale_tasks.hpp"
#include "libfhe/circuit/executor.hpp"
#include "libfhe/circuit/placement.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/scheduled_cost.hpp"
#include "libfhe/gate/evaluator.hpp"

namespace fhe::bench {

namespace {

constexpr std::array<std::size_t, 11> kWorkers{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
// More threads than that are no measure of anything on a machine of a few cores.
constexpr std::size_t kMostThreads = 256;
constexpr std::size_t kWorkersOfMachine = 16;

CircuitScaling scaling_of(const NamedCircuit& circuit, const Evaluator& evaluator,
                          const TaskCosts& costs, const ScaleOptions& options) {
  const CircuitProgram program = CircuitProgram::compile(circuit.netlist, evaluator);
  const TaskGraph graph = program.tasks(costs);
  const std::uint64_t each = limbs_of(evaluator.public_key().modulus()).size() * sizeof(Limb);
  CircuitScaling result{.circuit = circuit.name,
                        .recryptions = graph.count(TaskKind::recryption),
                        .total_seconds = graph.total_cost(),
                        .chain_seconds = graph.longest_chain(),
                        .times = {}};
  for (const std::size_t workers : kWorkers) {
    WorkersTime time{workers, scheduled_cost(graph, workers), {}, 0};
    const std::size_t machines = (workers + kWorkersOfMachine - 1) / kWorkersOfMachine;
    time.moved_bytes = moved_bytes(
        graph, place_tasks(graph, machines, std::min(workers, kWorkersOfMachine)), each);
    if (workers <= kMostThreads && time.scheduled_seconds <= options.most_seconds) {
      // Once more, since the first run also starts the threads.
      const LocalExecutor executor(workers);
      time.slept_seconds =
          std::min(sleeping_seconds(graph, executor), sleeping_seconds(graph, executor));
    }
    result.times.push_back(time);
  }
  return result;
}

void print(const CircuitScaling& s) {
  fmt::print("\n{}: {} recryptions, {:.2f} s of work, the longest chain {:.2f} s\n", s.circuit,
             s.recryptions, s.total_seconds, s.chain_seconds);
  fmt::print("{:>8} {:>12} {:>8} {:>14} {:>8} {:>10} {:>12}\n", "workers", "scheduled s", "used",
             "with sleep s", "used", "of bound", "moved MB");
  for (const WorkersTime& time : s.times) {
    fmt::print("{:>8} {:>12.3f} {:>7.1f}%", time.workers, time.scheduled_seconds,
               100 * s.used(time.workers, time.scheduled_seconds));
    if (time.slept_seconds) {
      fmt::print(" {:>14.3f} {:>7.1f}% {:>9.1f}%", *time.slept_seconds,
                 100 * s.used(time.workers, *time.slept_seconds),
                 100 * time.scheduled_seconds / *time.slept_seconds);
    } else {
      fmt::print(" {:>14} {:>8} {:>10}", "-", "-", "-");
    }
    fmt::print(" {:>12.1f}\n", static_cast<double>(time.moved_bytes) / 1e6);
  }
}

}  // namespace

void measure_scale(const ParameterSet& group, const BackendPtr& backend,
                   const ScaleOptions& options, const std::string& json) {
  const std::vector<NamedCircuit> all = scale_circuits(options);
  const KeyPair keys = KeyGenerator(group, backend).generate();
  const Evaluator evaluator(keys.public_key, backend);
  const TaskCosts costs = scale_costs(evaluator, options);
  if (json != "-") {
    fmt::print("{}: a sum takes {:.3g} s, a product {:.3g} s, a recryption {:.3g} s\n",
               group.name(), costs.sum, costs.product, costs.recryption);
  }
  Scaling scaling{group.name(), costs.sum, costs.product, costs.recryption, {}};
  for (const NamedCircuit& circuit : all) {
    scaling.circuits.push_back(scaling_of(circuit, evaluator, costs, options));
    if (json != "-") print(scaling.circuits.back());
    if (!json.empty()) write_so_far(to_json(scaling), json);
  }
  if (!json.empty()) write_text(to_json(scaling), json);
}

}  // namespace fhe::bench
