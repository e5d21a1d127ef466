// SPDX-License-Identifier: Apache-2.0
// Arithmetic backends, and the threads that they compute on.
#include <optional>
#include <string>

#include <pybind11/stl.h>

#include "apps/python/module/parts.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe::python {

namespace {

namespace py = pybind11;

py::list backend_names() {
  py::list rows;
  for (const BackendFactory& factory : registered_backends()) {
    py::dict row;
    row["name"] = factory.name;
    row["summary"] = factory.summary;
    row["default"] = factory.name == default_backend_name();
    rows.append(row);
  }
  return rows;
}

py::dict describe_backend(const std::string& name) {
  const BackendInfo info = open_backend(name)->info();
  py::dict facts;
  facts["description"] = info.description;
  facts["max_operand_bits"] = info.max_operand_bits;
  facts["native"] = info.native;
  return facts;
}

// A limit of threads that lasts for a `with` block.
class ThreadLimitBlock {
 public:
  explicit ThreadLimitBlock(std::size_t threads) : threads_(threads) {}
  void enter() { limit_.emplace(threads_); }
  void leave() { limit_.reset(); }

 private:
  std::size_t threads_;
  std::optional<ThreadLimit> limit_;
};

}  // namespace

void add_backends(py::module_& module) {
  module.def("backend_names", &backend_names, "The kinds of backends: name, summary, default.");
  module.def("describe_backend", &describe_backend, py::arg("name"),
             "Opens a backend and says what it is; raises what opening it raises.");
  module.def("thread_count", &thread_count, "The number of threads that calls may use at present.");
  py::class_<ThreadLimitBlock>(
      module, "thread_limit",
      "Limits all calls of this process to so many threads: `with fhe.thread_limit(1): ...`")
      .def(py::init<std::size_t>(), py::arg("threads"))
      .def("__enter__", &ThreadLimitBlock::enter)
      .def("__exit__", [](ThreadLimitBlock& block, const py::args&) { block.leave(); });
}

}  // namespace fhe::python
