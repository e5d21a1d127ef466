// SPDX-License-Identifier: Apache-2.0
// Bytes and paths between Python and the library.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

#include "libfhe/storage/source.hpp"

namespace fhe::python {

// Bytes of the library, which Python reads in place: it has the protocol of buffers.
class Bytes {
 public:
  explicit Bytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// The path of a str or an os.PathLike. Throws TypeError for anything else.
std::filesystem::path path_of(const pybind11::object& path);

// What an object of Python is read from: a path, or bytes in memory (bytes, bytearray, memoryview
// and whatever has the protocol of buffers), which are not copied. Keeps them; made and destroyed
// with the interpreter's lock. Throws TypeError for anything else.
class PythonSource {
 public:
  explicit PythonSource(const pybind11::object& from);
  ~PythonSource();
  PythonSource(const PythonSource&) = delete;
  PythonSource& operator=(const PythonSource&) = delete;

  // Valid as long as this one.
  [[nodiscard]] Source source() const;

 private:
  std::optional<std::filesystem::path> path_;
  Py_buffer buffer_{};  // where there is no path
};

}  // namespace fhe::python
