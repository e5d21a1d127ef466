// SPDX-License-Identifier: Apache-2.0
#include "apps/python/module/bytes.hpp"

#include <span>
#include <string>

#include <pybind11/stl/filesystem.h>

#include "apps/python/module/parts.hpp"

namespace fhe::python {

namespace {

namespace py = pybind11;

bool is_path(const py::object& object) {
  return py::isinstance<py::str>(object) || py::hasattr(object, "__fspath__");
}

py::buffer_info read_only(const Bytes& bytes) {
  return {const_cast<std::byte*>(bytes.bytes().data()),
          1,
          py::format_descriptor<unsigned char>::format(),
          1,
          {static_cast<py::ssize_t>(bytes.bytes().size())},
          {1},
          true};
}

}  // namespace

std::filesystem::path path_of(const py::object& path) {
  if (!is_path(path)) throw py::type_error("wanted is a path: a str or an os.PathLike");
  return path.cast<std::filesystem::path>();
}

PythonSource::PythonSource(const py::object& from) {
  if (is_path(from)) {
    path_ = path_of(from);
  } else if (PyObject_GetBuffer(from.ptr(), &buffer_, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();
    throw py::type_error("wanted is a path (str, os.PathLike) or contiguous bytes");
  }
}

PythonSource::~PythonSource() {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
}

Source PythonSource::source() const {
  if (path_) return Source(*path_);
  return Source(
      std::span(static_cast<const std::byte*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)));
}

void add_bytes(py::module_& module) {
  py::class_<Bytes>(module, "Bytes", py::buffer_protocol(),
                    "Bytes that were made by the library: memoryview(b) reads them in place.")
      .def_buffer(&read_only)
      .def("__len__", [](const Bytes& bytes) { return bytes.bytes().size(); });
}

}  // namespace fhe::python
