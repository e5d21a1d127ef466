// SPDX-License-Identifier: Apache-2.0
// Parameter groups.
#include "libfhe/scheme/parameters.hpp"

#include <optional>
#include <string>

#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include "apps/python/module/parts.hpp"
#include "libfhe/scheme/security.hpp"
#include "libfhe/scheme/sizes.hpp"

namespace fhe::python {

namespace {

namespace py = pybind11;

py::dict fields_of(const ParameterSet& group) {
  py::dict fields;
  for (const auto& [name, field] : group.fields()) fields[py::str(name)] = py::cast(field.value);
  return fields;
}

// The sizes of keys and ciphertexts, by name; empty for a group that makes no keys.
py::dict sizes_dict(const ParameterSet& group) {
  py::dict sizes;
  if (const std::optional<KeySizes> known = sizes_of(group)) {
    sizes["slots"] = known->slots;
    sizes["ciphertext_bytes"] = known->ciphertext;
    sizes["compressed_ciphertext_bits"] = known->compressed_bits;
    sizes["public_key_bytes"] = known->public_key_file;
    sizes["secret_key_bytes"] = known->secret_key_file;
    sizes["exact_sizes"] = known->exact;
    sizes["recryption_memory_bytes"] = known->recryption_memory;
  }
  return sizes;
}

// What the estimator says; None where the group makes no keys.
py::dict security_dict(const ParameterSet& group) {
  const std::optional<security::Estimate> estimate = estimate_of(group);
  py::dict security;
  security["security_bits"] = estimate ? py::cast(estimate->bits()) : py::none();
  security["quantum_security_bits"] = estimate ? py::cast(estimate->quantum_bits()) : py::none();
  security["verdict"] = estimate ? py::cast(security::in_words(estimate->verdict())) : py::none();
  return security;
}

}  // namespace

void add_parameters(py::module_& module) {
  py::class_<ParameterSet>(module, "ParameterSet",
                           "A parameter group: named, published numbers, which are checked.")
      .def(py::init([](const std::string& name) { return ParameterSet::resolve(name); }),
           py::arg("name"), "The built-in group of this name, or else that of a TOML file.")
      .def_static(
          "from_toml",
          [](const std::string& text) { return ParameterSet::from_toml(text, "text"); },
          py::arg("text"), "The group of a TOML text.")
      .def_static("names", &ParameterSet::names, "The names of the built-in groups.")
      .def_property_readonly("name", &ParameterSet::name)
      .def_property_readonly("scheme", &ParameterSet::scheme)
      .def_property_readonly(
          "makes_keys", &ParameterSet::makes_keys,
          "Whether keygen() takes it: not groups of numbers in slots, and no sizes for benchmarks.")
      .def_property_readonly("fields", &fields_of, "The numbers and words of the group, by name.")
      .def_property_readonly("sizes", &sizes_dict,
                             "Sizes of keys and ciphertexts; empty where the group makes no keys.")
      .def_property_readonly(
          "security", &security_dict,
          "What the cheapest known attack costs, as log2 of cycles, and in words.")
      .def("to_toml", &ParameterSet::to_toml)
      .def("__reduce__",
           [](const py::object& group) {
             return py::module_::import("fhe.keys").attr("reduce_parameters")(group);
           })
      .def(py::self == py::self)
      .def("__hash__", [](const ParameterSet& group) { return py::hash(py::str(group.name())); })
      .def("__repr__",
           [](const ParameterSet& group) { return "<fhe.ParameterSet " + group.name() + ">"; });
}

}  // namespace fhe::python
