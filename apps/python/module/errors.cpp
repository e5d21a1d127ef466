// SPDX-License-Identifier: Apache-2.0
// Errors of the library as exceptions of Python: one class for each code (fhe/errors.py).
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "apps/python/module/parts.hpp"
#include "libfhe/error.hpp"

namespace fhe::python {

namespace {

namespace py = pybind11;

std::vector<std::string> error_codes() {
  std::vector<std::string> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::wrong_result); ++code) {
    names.emplace_back(to_string(static_cast<ErrorCode>(code)));
  }
  return names;
}

void raise(const Error& error) {
  const py::object make = py::module_::import("fhe.errors").attr("error_of");
  const py::object raised = make(std::string(to_string(error.code())), error.what());
  PyErr_SetObject(py::type::of(raised).ptr(), raised.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(std::move(thrown));
  } catch (const Error& error) {
    raise(error);
  }
}

}  // namespace

void add_errors(py::module_& module) {
  py::register_exception_translator(&translate);
  module.def("error_codes", &error_codes, "The codes of fhe.Error.");
}

}  // namespace fhe::python
