// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/program.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "libfhe/circuit/lower_degree.hpp"
#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe {

ProgramKeys ProgramKeys::of(const Evaluator& evaluator) {
  return reporting_memory([&] {
    const ParameterSet& group = evaluator.public_key().parameters();
    return ProgramKeys{group.scheme(), group.name(), group.digest(),
                       NoiseModel::of(evaluator.key())};
  });
}

CircuitProgram::CircuitProgram(Netlist circuit, ProgramKeys keys, std::vector<NoiseBound> inputs,
                               RefreshPlan plan)
    : circuit_(std::move(circuit)),
      keys_(std::move(keys)),
      inputs_(std::move(inputs)),
      plan_(std::move(plan)) {}

CircuitProgram CircuitProgram::compile(const Netlist& netlist, const Evaluator& evaluator,
                                       const std::vector<NoiseBound>& inputs,
                                       const Monitor& monitor) {
  return reporting_memory([&] {
    require_input_bits(netlist, inputs.size());
    Netlist circuit = with_lower_degree(netlist);
    ProgramKeys keys = ProgramKeys::of(evaluator);
    RefreshPlan plan = plan_refreshes(circuit, keys.noise, inputs, monitor);
    return CircuitProgram(std::move(circuit), std::move(keys), inputs, std::move(plan));
  });
}

CircuitProgram CircuitProgram::compile(const Netlist& netlist, const Evaluator& evaluator,
                                       const Monitor& monitor) {
  return reporting_memory([&] {
    const std::vector inputs(netlist.input_bits(), evaluator.key().fresh_noise());
    return compile(netlist, evaluator, inputs, monitor);
  });
}

CircuitProgram CircuitProgram::planned(Netlist circuit, ProgramKeys keys,
                                       std::vector<NoiseBound> inputs, std::vector<bool> refreshed,
                                       std::size_t lower_bound, std::size_t gate_by_gate) {
  return reporting_memory([&] {
    RefreshPlan plan;
    plan.noise = noise_of_wires(circuit, keys.noise, inputs, refreshed);
    plan.recryptions = static_cast<std::size_t>(std::ranges::count(refreshed, true));
    plan.refreshed = std::move(refreshed);
    plan.lower_bound = lower_bound;
    plan.gate_by_gate = gate_by_gate;
    return CircuitProgram(std::move(circuit), std::move(keys), std::move(inputs), std::move(plan));
  });
}

TaskGraph CircuitProgram::tasks(const TaskCosts& costs) const {
  return reporting_memory([&] {
    std::vector<WireValue> present;
    for (Wire wire = 0; wire < circuit_.input_bits(); ++wire) present.push_back({wire, false});
    return TaskGraph(circuit_, plan_, keys_.noise.refreshed, present, costs);
  });
}

RefreshPlan CircuitProgram::plan_for(const std::vector<NoiseBound>& inputs) const {
  return reporting_memory([&] {
    require_input_bits(circuit_, inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] <= inputs_[i]) continue;
      throw Error(ErrorCode::noise_exceeded,
                  fmt::format("bit {} of the inputs has {:.1f} bits of noise, and the program was "
                              "compiled for {:.1f} at most: recrypt it, or compile the circuit for "
                              "such inputs",
                              i, inputs[i].bits(), inputs_[i].bits()));
    }
    RefreshPlan plan = plan_;
    plan.noise = noise_of_wires(circuit_, keys_.noise, inputs, plan.refreshed);
    return plan;
  });
}

void CircuitProgram::require_runs_under(const Evaluator& evaluator) const {
  const ProgramKeys found = ProgramKeys::of(evaluator);
  if (found == keys()) return;
  if (found.parameters_digest != keys_.parameters_digest) {
    throw Error(
        ErrorCode::wrong_key,
        fmt::format("the program was compiled for keys of {}, and this is one of {}: compile "
                    "the circuit for that group",
                    keys_.parameters, found.parameters));
  }
  throw Error(ErrorCode::wrong_key,
              fmt::format("the program was compiled for keys of {} with another adder, whose noise "
                          "is another: compile the circuit for this one",
                          keys_.parameters));
}

}  // namespace fhe
