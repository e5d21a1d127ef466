// SPDX-License-Identifier: Apache-2.0
// Circuits, and how they are traced: words of wires, on which operations build a netlist.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "apps/python/module/bits.hpp"
#include "apps/python/module/bytes.hpp"
#include "apps/python/module/parts.hpp"
#include "apps/python/module/watched.hpp"
#include "libfhe/circuit/bristol.hpp"
#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/word.hpp"
#include "libfhe/circuit/word_operations.hpp"
#include "libfhe/error.hpp"

namespace fhe::python {

namespace {

namespace py = pybind11;

using Wires = Word<NetlistBuilder>;
using WireBit = Bit<NetlistBuilder>;
using BuilderPtr = std::shared_ptr<NetlistBuilder>;

// A word of a circuit that is being built, which it keeps.
struct TracedWord {
  BuilderPtr builder;
  Wires wires;

  // Another one of the same circuit.
  [[nodiscard]] TracedWord with(Wires other) const { return {builder, std::move(other)}; }
};

void require_same_builder(const TracedWord& a, const TracedWord& b) {
  if (a.builder == b.builder) return;
  throw Error(ErrorCode::invalid_argument,
              "a value of another traced function is used here; a function may only use its "
              "arguments and public numbers");
}

TracedWord input(const BuilderPtr& builder, const std::string& name, std::size_t width) {
  return {builder, input_word(*builder, name, width)};
}

TracedWord constant(const BuilderPtr& builder, const py::buffer& bits) {
  Wires::Bits known;
  for (const bool bit : bits_of_buffer(bits)) known.push_back(WireBit::known(*builder, bit));
  return {builder, Wires(*builder, std::move(known))};
}

// The bits of all words, one after the other.
TracedWord joined(const std::vector<TracedWord>& words) {
  if (words.empty()) throw Error(ErrorCode::invalid_argument, "there is no word to join");
  Wires::Bits bits;
  for (const TracedWord& word : words) {
    require_same_builder(words.front(), word);
    bits.insert(bits.end(), word.wires.bits().begin(), word.wires.bits().end());
  }
  return words.front().with(Wires(*words.front().builder, std::move(bits)));
}

void output(const BuilderPtr& builder, const std::string& name,
            const std::vector<TracedWord>& words) {
  const TracedWord all = joined(words);
  if (all.builder != builder) {
    throw Error(ErrorCode::invalid_argument, "this value belongs to another traced function");
  }
  output_word(*builder, name, all.wires);
}

// An operation of circuit/word_operations.hpp on words of one circuit.
TracedWord apply(const std::string& name, const std::vector<TracedWord>& operands, bool is_signed) {
  const NamedWordOperation& operation = word_operation_named(name);
  if (operands.size() != operation.roles.size()) {
    throw Error(ErrorCode::invalid_argument,
                "operation '" + name + "' takes another number of operands");
  }
  std::vector<Wires> wires;
  for (const TracedWord& operand : operands) {
    require_same_builder(operands.front(), operand);
    wires.push_back(operand.wires);
  }
  return operands.front().with(operation.apply(wires, is_signed ? Sign::last : Sign::none));
}

template <class Operation>
auto of_two(const Operation& operation) {
  return [operation](const TracedWord& a, const TracedWord& b) {
    require_same_builder(a, b);
    return a.with(operation(a.wires, b.wires));
  };
}

TracedWord shifted_right(const TracedWord& word, std::size_t places, bool is_signed) {
  return word.with(is_signed ? shift_right_signed(word.wires, places) : word.wires >> places);
}

TracedWord resized(const TracedWord& word, std::size_t width, bool is_signed) {
  return word.with(is_signed ? resized_signed(word.wires, width) : word.wires.resized(width));
}

// `width` bits from bit `first` on.
TracedWord part(const TracedWord& word, std::size_t first, std::size_t width) {
  Wires::Bits bits;
  for (std::size_t i = 0; i < width; ++i) bits.push_back(word.wires[first + i]);
  return word.with(Wires(*word.builder, std::move(bits)));
}

void add_words(py::module_& module) {
  py::class_<TracedWord>(module, "Word",
                         "Some wires of a circuit that is being built, as a number.")
      .def_property_readonly("width", [](const TracedWord& word) { return word.wires.width(); })
      .def("__xor__", of_two([](const Wires& a, const Wires& b) { return a ^ b; }))
      .def("__and__", of_two([](const Wires& a, const Wires& b) { return a & b; }))
      .def("__or__", of_two([](const Wires& a, const Wires& b) { return a | b; }))
      .def("__invert__", [](const TracedWord& word) { return word.with(~word.wires); })
      .def("shifted_left", [](const TracedWord& word,
                              std::size_t places) { return word.with(word.wires << places); })
      .def("shifted_right", &shifted_right, py::arg("places"), py::arg("is_signed"))
      .def("resized", &resized, py::arg("width"), py::arg("is_signed"))
      .def("part", &part, py::arg("first"), py::arg("width"))
      .def("look_up",
           [](const TracedWord& index, const std::vector<std::uint64_t>& table, std::size_t width) {
             return index.with(look_up(index.wires, table, width));
           })
      .def_static("joined", &joined, py::arg("words"))
      .def_static("apply", &apply, py::arg("name"), py::arg("operands"), py::arg("is_signed"));
  py::class_<NetlistBuilder, BuilderPtr>(module, "Builder", "Builds a circuit.")
      .def(py::init<>())
      .def("input", &input, py::arg("name"), py::arg("width"))
      .def("constant", &constant, py::arg("bits"))
      .def("output", &output, py::arg("name"), py::arg("words"))
      .def("build", &NetlistBuilder::build);
}

py::list input_words(const Netlist& netlist) {
  py::list words;
  for (const InputWord& word : netlist.inputs())
    words.append(py::make_tuple(word.name, word.width));
  return words;
}

py::list output_words(const Netlist& netlist) {
  py::list words;
  for (const OutputWord& word : netlist.outputs()) {
    words.append(py::make_tuple(word.name, word.wires));
  }
  return words;
}

// (kind, wires that it uses) of every gate.
py::list gates(const Netlist& netlist) {
  py::list all;
  for (const Gate& gate : netlist.gates()) {
    const auto used = std::span(gate.inputs).first(gate_inputs(gate.kind));
    all.append(py::make_tuple(to_string(gate.kind), std::vector<Wire>(used.begin(), used.end())));
  }
  return all;
}

py::dict gate_counts(const Netlist& netlist) {
  const NetlistCosts costs = fhe::costs(netlist);
  py::dict kinds;
  for (std::size_t kind = 0; kind < kGateKinds; ++kind) {
    if (costs.gates.at(kind) == 0) continue;
    kinds[py::str(std::string(to_string(static_cast<GateKind>(kind))))] = costs.gates.at(kind);
  }
  py::dict row;
  row["gates"] = kinds;
  row["products"] = costs.products;
  row["and_depth"] = costs.and_depth;
  row["depth"] = costs.depth;
  return row;
}

Bytes simulate(const Netlist& netlist, const py::buffer& inputs) {
  return bytes_of_bits(watched([&, bits = bits_of_buffer(inputs)](const Monitor&) {
    const PlainBits algebra;
    return evaluate(netlist, algebra, bits);
  }));
}

Netlist load_circuit(const py::object& from) {
  const PythonSource source(from);
  return watched([&](const Monitor&) { return load_netlist(source.source()); });
}

}  // namespace

void add_circuits(py::module_& module) {
  py::class_<Netlist>(module, "Netlist", "A circuit as data.")
      .def_static("load", &load_circuit, py::arg("source"))
      .def_property_readonly("inputs", &input_words, "Name and width of each input word.")
      .def_property_readonly("outputs", &output_words, "Name and wires of each output word.")
      .def_property_readonly("gates", &gates, "Kind and wires of each gate, in order.")
      .def_property_readonly("input_bits", &Netlist::input_bits)
      .def_property_readonly("counts", &gate_counts)
      .def("simulate", &simulate, py::arg("bits"))
      .def("to_bristol", &to_bristol)
      .def("save_bristol", [](const Netlist& netlist, const py::object& path) {
        save_bristol(path_of(path), netlist);
      });
  add_words(module);
}

}  // namespace fhe::python
