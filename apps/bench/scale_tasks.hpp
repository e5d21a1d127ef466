// SPDX-License-Identifier: Apache-2.0
// Circuits, costs and tasks that sleep, for `fhe-bench scale`.
#pragma once

#include <string>
#include <vector>

#include "apps/bench/scale.hpp"
#include "libfhe/circuit/executor.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/gate/evaluator.hpp"

namespace fhe::bench {

struct NamedCircuit {
  std::string name;
  Netlist netlist;
};

// Those of the options, or a product and a search.
std::vector<NamedCircuit> scale_circuits(const ScaleOptions& options);

// Each on one thread, as a worker has it; where the options say what a recryption takes, the others
// are the usual parts of that.
TaskCosts scale_costs(const Evaluator& evaluator, const ScaleOptions& options);

// Runs tasks that take their cost in seconds and do nothing; returns the seconds of the run.
double sleeping_seconds(const TaskGraph& graph, const Executor& executor);

}  // namespace fhe::bench
