// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "apps/bench/scale_tasks.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/placement.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/scheduled_cost.hpp"
#include "libfhe/cluster/starpu_executor.hpp"
#include "libfhe/error.hpp"

namespace fhe::bench {

void measure_cluster(const ParameterSet& group, const BackendPtr& backend,
                     const ScaleOptions& options) {
  if (options.recryption_seconds <= 0) {
    throw Error(ErrorCode::invalid_argument,
                "every rank would measure other times: give --recryption-seconds");
  }
  const std::vector<NamedCircuit> all = scale_circuits(options);
  const KeyPair keys = KeyGenerator(group, backend).generate();
  const Evaluator evaluator(keys.public_key, backend);
  const TaskCosts costs = scale_costs(evaluator, options);
  const Cluster cluster(thread_count());
  const StarpuExecutor executor(cluster, KeyId(), 1);
  const std::size_t workers = cluster.ranks() * cluster.workers();
  for (const NamedCircuit& circuit : all) {
    const TaskGraph graph = CircuitProgram::compile(circuit.netlist, evaluator).tasks(costs);
    const double scheduled = scheduled_cost(graph, workers);
    const double slept = sleeping_seconds(graph, executor);
    if (!cluster.is_first()) continue;
    fmt::print(
        "{}: {} tasks on {} ranks of {} workers: {:.2f} s, by list scheduling {:.2f} s: {:.1f}%\n",
        circuit.name, graph.tasks().size(), cluster.ranks(), cluster.workers(), slept, scheduled,
        100 * scheduled / slept);
  }
}

}  // namespace fhe::bench
