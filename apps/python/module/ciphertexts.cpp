// SPDX-License-Identifier: Apache-2.0
#include "apps/python/module/ciphertexts.hpp"

#include <string>
#include <utility>

#include <pybind11/stl.h>

#include "apps/python/module/bytes.hpp"
#include "apps/python/module/parts.hpp"
#include "apps/python/module/watched.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::python {

namespace {

namespace py = pybind11;

std::vector<double> claimed_noise(const Ciphertexts& ciphertexts) {
  std::vector<double> noise;
  noise.reserve(ciphertexts.size());
  for (std::size_t i = 0; i < ciphertexts.size(); ++i) {
    noise.push_back(ciphertexts.at(i).noise().bits());
  }
  return noise;
}

// The integer of a ciphertext as one of Python, by way of its hexadecimal digits.
py::object value_of(const Ciphertexts& ciphertexts, std::size_t index) {
  const std::string digits = ciphertexts.at(index).value().get_str(16);
  return py::reinterpret_steal<py::object>(PyLong_FromString(digits.c_str(), nullptr, 16));
}

// What the library saves of each kind.
std::vector<Ciphertext> saved(const Ciphertexts& ciphertexts) {
  return ciphertexts.values();
}

const CompressedCiphertexts& saved(const CompressedCiphertexts& compressed) {
  return compressed;
}

template <class Values>
Bytes bytes_of(const Values& values, const PublicKey& key) {
  return Bytes(watched([&](const Monitor&) { return to_bytes(saved(values), key); }));
}

template <class Values>
void save_values(const Values& values, const PublicKey& key, const py::object& path) {
  watched([&, to = path_of(path)](const Monitor&) { save(to, saved(values), key); });
}

Ciphertexts load_whole(const py::object& from, const PublicKey& key) {
  const PythonSource source(from);
  return watched(
      [&](const Monitor&) { return Ciphertexts(load_ciphertexts(source.source(), key)); });
}

CompressedCiphertexts load_compressed(const py::object& from, const PublicKey& key) {
  const PythonSource source(from);
  return watched([&](const Monitor&) { return load_compressed_ciphertexts(source.source(), key); });
}

Ciphertexts expanded(const CompressedCiphertexts& compressed, const PublicKey& key) {
  return watched(
      [&](const Monitor& monitor) { return Ciphertexts(expand(compressed, key, monitor)); });
}

}  // namespace

Ciphertexts::Ciphertexts(std::vector<Ciphertext> ciphertexts) {
  entries_.reserve(ciphertexts.size());
  for (Ciphertext& c : ciphertexts) {
    entries_.push_back(std::make_shared<const Ciphertext>(std::move(c)));
  }
}

std::vector<Ciphertext> Ciphertexts::values() const {
  std::vector<Ciphertext> values;
  values.reserve(entries_.size());
  for (const auto& entry : entries_) values.push_back(*entry);
  return values;
}

Ciphertexts Ciphertexts::take(const std::vector<std::size_t>& places) const {
  Ciphertexts taken;
  taken.entries_.reserve(places.size());
  for (const std::size_t place : places) {
    if (place >= entries_.size()) {
      throw Error(ErrorCode::invalid_argument, "there is no ciphertext at this place");
    }
    taken.entries_.push_back(entries_[place]);
  }
  return taken;
}

Ciphertexts Ciphertexts::joined(const std::vector<Ciphertexts>& parts) {
  Ciphertexts all;
  for (const Ciphertexts& part : parts) {
    all.entries_.insert(all.entries_.end(), part.entries_.begin(), part.entries_.end());
  }
  return all;
}

void add_ciphertexts(py::module_& module) {
  py::class_<Ciphertexts>(module, "Ciphertexts", "Ciphertexts of one key.")
      .def_static("load", &load_whole, py::arg("source"), py::arg("key"))
      .def_static("joined", &Ciphertexts::joined, py::arg("parts"))
      .def("__len__", &Ciphertexts::size)
      .def("take", &Ciphertexts::take, py::arg("places"))
      .def("value", &value_of, py::arg("index"), "The integer of one of them.")
      .def_property_readonly("noise", &claimed_noise, "The bounds of their noise, in bits.")
      .def("to_bytes", &bytes_of<Ciphertexts>, py::arg("key"))
      .def("save", &save_values<Ciphertexts>, py::arg("key"), py::arg("path"));

  py::class_<CompressedCiphertexts>(module, "CompressedCiphertexts",
                                    "Ciphertexts that the owner of a key has made.")
      .def_static("load", &load_compressed, py::arg("source"), py::arg("key"))
      .def("__len__", &CompressedCiphertexts::size)
      .def_property_readonly("noise",
                             [](const CompressedCiphertexts& c) { return c.noise().bits(); })
      .def("expand", &expanded, py::arg("key"))
      .def("to_bytes", &bytes_of<CompressedCiphertexts>, py::arg("key"))
      .def("save", &save_values<CompressedCiphertexts>, py::arg("key"), py::arg("path"));
}

}  // namespace fhe::python
