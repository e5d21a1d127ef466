// SPDX-License-Identifier: Apache-2.0
// Circuits planned for keys, and runs of circuits on ciphertexts.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "apps/python/module/bytes.hpp"
#include "apps/python/module/ciphertexts.hpp"
#include "apps/python/module/parts.hpp"
#include "apps/python/module/watched.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/circuit/scheduled_cost.hpp"

namespace fhe::python {

namespace {

namespace py = pybind11;

// The program for inputs with at most so much noise, in bits; none: new encryptions.
CircuitProgram compile(const Netlist& netlist, const Evaluator& evaluator,
                       std::optional<double> noise) {
  return watched([&](const Monitor& monitor) {
    if (!noise) return CircuitProgram::compile(netlist, evaluator, monitor);
    return CircuitProgram::compile(netlist, evaluator,
                                   std::vector(netlist.input_bits(), NoiseBound::from_bits(*noise)),
                                   monitor);
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
      .def("save", [](const CircuitProgram& program,
                      const py::object& path) { save(path_of(path), program); })
      .def("to_bytes", [](const CircuitProgram& program) { return Bytes(to_bytes(program)); });
  module.def("run_netlist", &run<Netlist>, py::arg("netlist"), py::arg("evaluator"),
             py::arg("inputs"), py::arg("max_memory") = py::none(),
             py::arg("checkpoint") = py::none(), py::arg("resume") = false,
             "The outputs of a circuit, planned for these very inputs.");
}

}  // namespace fhe::python
