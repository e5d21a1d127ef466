// SPDX-License-Identifier: Apache-2.0
// Circuits planned for keys, and runs of circuits on ciphertexts.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "apps/python/module/bytes.hpp"
#include "apps/python/module/ciphertexts.hpp"
#include "apps/python/module/parts.hpp"
#include "apps/python/module/watched.hpp"
#include "libfhe/circuit/parts.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/circuit/scheduled_cost.hpp"

namespace fhe::python {

namespace {

namespace py = pybind11;

// The program for inputs with at most so much noise, in bits, each; none: new encryptions.
CircuitProgram compile(const Netlist& netlist, const Evaluator& evaluator,
                       const std::optional<std::vector<double>>& noise) {
  return watched([&](const Monitor& monitor) {
    if (!noise) return CircuitProgram::compile(netlist, evaluator, monitor);
    std::vector<NoiseBound> inputs;
    for (const double bits : *noise) inputs.push_back(NoiseBound::from_bits(bits));
    return CircuitProgram::compile(netlist, evaluator, inputs, monitor);
  });
}

py::dict facts(const CircuitProgram& program) {
  const TaskGraph graph = program.tasks();
  const RefreshPlan& plan = program.plan();
  py::dict row;
  row["parameters"] = program.keys().parameters;
  row["products"] = graph.count(TaskKind::product);
  row["recryptions"] = plan.recryptions;
  row["recryptions_lower_bound"] = plan.lower_bound;
  row["recryptions_gate_by_gate"] = plan.gate_by_gate;
  row["work_in_recryptions"] = graph.total_cost() / TaskCosts{}.recryption;
  row["chain_of_recryptions"] = graph.longest_chain() / TaskCosts{}.recryption;
  row["fewest_ciphertexts"] = graph.most_values(1);
  py::dict speedup;
  for (const std::size_t workers : {4U, 16U, 64U}) {
    speedup[py::int_(workers)] = graph.total_cost() / scheduled_cost(graph, workers);
  }
  row["speedup"] = speedup;
  return row;
}

// The outputs of a run of a netlist or a program; `checkpoint` is a path or None.
template <class Circuit>
Ciphertexts run(const Circuit& circuit, const Evaluator& evaluator, const Ciphertexts& inputs,
                std::optional<std::uint64_t> max_memory, const py::object& checkpoint,
                bool resume) {
  CircuitRunOptions options;
  options.max_memory_bytes = max_memory;
  if (!checkpoint.is_none()) options.checkpoint = path_of(checkpoint);
  options.resume = resume;
  return watched([&](const Monitor& monitor) {
    return Ciphertexts(run_circuit(circuit, evaluator, inputs.values(), options, monitor).outputs);
  });
}

// The values of wires as Python has them: (wire, whether it is recrypted).
using NamedValues = std::vector<std::pair<Wire, bool>>;

NamedValues names_of(const std::vector<WireValue>& values) {
  NamedValues names;
  for (const WireValue& value : values) names.emplace_back(value.wire, value.refreshed);
  return names;
}

std::vector<WireValue> values_of(const NamedValues& names) {
  std::vector<WireValue> values;
  for (const auto& [wire, refreshed] : names) values.push_back({wire, refreshed});
  return values;
}

// Its parts: what each takes and gives, and what it costs in recryptions.
py::list parts_of(const CircuitProgram& program, std::size_t workers, double least_recryptions) {
  const TaskCosts costs;
  const auto parts = watched([&](const Monitor&) {
    return split_into_parts(program.tasks(costs), std::max<std::size_t>(workers, 1),
                            least_recryptions * costs.recryption);
  });
  py::list list;
  for (const CircuitPart& part : parts) {
    list.append(
        py::make_tuple(names_of(part.takes), names_of(part.gives), part.cost / costs.recryption));
  }
  return list;
}

NamedValues outputs_of(const CircuitProgram& program) {
  std::vector<WireValue> values;
  for (const Wire wire : program.circuit().output_wires()) {
    values.push_back(value_in_use(wire, program.plan().refreshed));
  }
  return names_of(values);
}

Ciphertexts run_one_part(const CircuitProgram& program, const Evaluator& evaluator,
                         const NamedValues& takes, const NamedValues& gives,
                         const Ciphertexts& values) {
  return watched([&](const Monitor& monitor) {
    return Ciphertexts(run_part(program, evaluator, {values_of(takes), values_of(gives)},
                                values.values(), monitor));
  });
}

CircuitProgram load_planned(const py::object& from) {
  const PythonSource source(from);
  return watched([&](const Monitor&) { return load_program(source.source()); });
}

}  // namespace

void add_programs(py::module_& module) {
  py::class_<CircuitProgram>(module, "Program", "A circuit that is planned for keys of a group.")
      .def(py::init(&compile), py::arg("netlist"), py::arg("evaluator"),
           py::arg("noise") = py::none())
      .def_static("load", &load_planned, py::arg("source"))
      .def_property_readonly("netlist", &CircuitProgram::circuit)
      .def_property_readonly("facts", &facts)
      .def_property_readonly(
          "refreshed", [](const CircuitProgram& program) { return program.plan().refreshed; },
          "By wire: whether it is recrypted.")
      .def("run", &run<CircuitProgram>, py::arg("evaluator"), py::arg("inputs"),
           py::arg("max_memory") = py::none(), py::arg("checkpoint") = py::none(),
           py::arg("resume") = false)
      .def("parts", &parts_of, py::arg("workers"), py::arg("least_recryptions"),
           "Parts that others can do: what each takes and gives, and its cost in recryptions.")
      .def_property_readonly("outputs", &outputs_of, "Which values the outputs are.")
      .def("run_part", &run_one_part, py::arg("evaluator"), py::arg("takes"), py::arg("gives"),
           py::arg("values"))
      .def("save", [](const CircuitProgram& program,
                      const py::object& path) { save(path_of(path), program); })
      .def("to_bytes", [](const CircuitProgram& program) { return Bytes(to_bytes(program)); });
  module.def("run_netlist", &run<Netlist>, py::arg("netlist"), py::arg("evaluator"),
             py::arg("inputs"), py::arg("max_memory") = py::none(),
             py::arg("checkpoint") = py::none(), py::arg("resume") = false,
             "The outputs of a circuit, planned for these very inputs.");
}

}  // namespace fhe::python
