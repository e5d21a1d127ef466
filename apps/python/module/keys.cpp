// SPDX-License-Identifier: Apache-2.0
// Keys: made, saved, loaded and checked.
#include "libfhe/scheme/keys.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "apps/python/module/backend_of.hpp"
#include "apps/python/module/bytes.hpp"
#include "apps/python/module/parts.hpp"
#include "apps/python/module/watched.hpp"
#include "libfhe/scheme/check.hpp"
#include "libfhe/scheme/files.hpp"

namespace fhe::python {

namespace {

namespace py = pybind11;

using Permutations = std::vector<std::vector<std::uint32_t>>;
using MaybeText = std::optional<std::string>;

py::bytes digest_bytes(const KeyId& id) {
  return {reinterpret_cast<const char*>(id.digest.data()), id.digest.size()};
}

py::tuple generate(const ParameterSet& group, const MaybeText& backend, const MaybeText& test_seed,
                   const Permutations& permutations) {
  KeyPair keys = watched([&](const Monitor& monitor) {
    KeyOptions options;
    for (const auto& sources : permutations) options.permutations.emplace_back(sources);
    const KeyGenerator generator(group, backend_of(backend), std::move(options));
    return test_seed ? generator.generate(TestSeed{*test_seed}, monitor)
                     : generator.generate(monitor);
  });
  return py::make_tuple(std::move(keys.public_key),
                        std::make_shared<SecretKey>(std::move(keys.secret_key)));
}

void save_public(const PublicKey& key, const py::object& path) {
  watched([&key, to = path_of(path)](const Monitor& monitor) { save(to, key, monitor); });
}

PublicKey load_public(const py::object& from) {
  const PythonSource source(from);
  return watched([&](const Monitor& monitor) {
    return load_public_key(source.source(), ReadLimits{}, monitor);
  });
}

void save_secret(const SecretKey& key, const py::object& path, MaybeText passphrase) {
  watched([&, to = path_of(path)](const Monitor&) {
    if (!passphrase) return save(to, key);
    const Passphrase lock(std::move(*passphrase));
    save(to, key, PassphraseLock{lock});
  });
}

// In a bytearray, which its owner can overwrite.
template <class Secret>
py::bytearray byte_array(const Secret& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

py::bytearray secret_bytes(const SecretKey& key, MaybeText passphrase) {
  if (!passphrase) return byte_array(watched([&](const Monitor&) { return to_bytes(key); }));
  return byte_array(watched([&](const Monitor&) {
    const Passphrase lock(std::move(*passphrase));
    return to_bytes(key, PassphraseLock{lock});
  }));
}

std::shared_ptr<SecretKey> load_secret(const py::object& from, MaybeText passphrase) {
  const PythonSource source(from);
  return watched([&](const Monitor&) {
    SecretKey key = passphrase ? load_secret_key(source.source(),
                                                 [&] { return Passphrase(std::move(*passphrase)); })
                               : load_secret_key(source.source());
    return std::make_shared<SecretKey>(std::move(key));
  });
}

py::list as_rows(const std::vector<KeyFinding>& findings) {
  py::list rows;
  for (const KeyFinding& finding : findings) {
    py::dict row;
    row["what"] = finding.what;
    row["passed"] = finding.passed;
    row["detail"] = finding.detail;
    rows.append(row);
  }
  return rows;
}

py::list check_public(const PublicKey& key, const MaybeText& backend) {
  return as_rows(watched(
      [&](const Monitor& monitor) { return check_key(key, backend_of(backend), monitor); }));
}

py::list check_secret(const SecretKey& key) {
  return as_rows(watched([&](const Monitor&) { return check_key(key); }));
}

py::list check_pair(const PublicKey& public_key, const SecretKey& secret_key,
                    const MaybeText& backend) {
  return as_rows(watched([&](const Monitor& monitor) {
    return check_key_pair(public_key, secret_key, backend_of(backend), monitor);
  }));
}

void add_public_key(py::module_& module) {
  py::class_<PublicKey>(module, "PublicKey", "A public key: encrypts, computes and recrypts.")
      .def_property_readonly("parameters", &PublicKey::parameters)
      .def_property_readonly("slots", &PublicKey::slots, "How many bits a ciphertext holds.")
      .def_property_readonly("name", [](const PublicKey& key) { return key.id().text(); })
      .def_property_readonly("id", [](const PublicKey& key) { return digest_bytes(key.id()); })
      .def_property_readonly("is_test_key", [](const PublicKey& key) { return key.id().test_key; })
      .def("save", &save_public, py::arg("path"), "Saves it, whole or not at all.")
      .def("to_bytes",
           [](const PublicKey& key) {
             return Bytes(watched([&](const Monitor&) { return to_bytes(key); }));
           })
      .def("check", &check_public, py::arg("backend") = py::none(),
           "Whether it is sound: a list of what was looked at.")
      .def("__eq__",
           [](const PublicKey& a, const py::object& b) {
             return py::isinstance<PublicKey>(b) && a.id() == b.cast<const PublicKey&>().id();
           })
      .def("__hash__", [](const PublicKey& key) { return py::hash(digest_bytes(key.id())); })
      .def("__reduce_ex__",
           [](const py::object& key, int protocol) {
             return py::module_::import("fhe.keys").attr("reduce_key")(key, protocol);
           })
      .def("__copy__", [](const py::object& key) { return key; })
      .def("__deepcopy__", [](const py::object& key, const py::object&) { return key; })
      .def("__repr__",
           [](const PublicKey& key) { return "<fhe.PublicKey: " + key.id().text() + ">"; });
}

void add_secret_key(py::module_& module) {
  py::class_<SecretKey, std::shared_ptr<SecretKey>>(
      module, "SecretKey", "A secret key, overwritten in memory when it is no longer used.")
      .def_property_readonly("parameters", &SecretKey::parameters)
      .def_property_readonly("slots", &SecretKey::slots, "How many bits a ciphertext holds.")
      .def_property_readonly("name", [](const SecretKey& key) { return key.id().text(); })
      .def_property_readonly("id", [](const SecretKey& key) { return digest_bytes(key.id()); })
      .def_property_readonly("is_test_key", [](const SecretKey& key) { return key.id().test_key; })
      .def("save", &save_secret, py::arg("path"), py::arg("passphrase") = py::none(),
           "Saves it in a file that only its owner can read.")
      .def("to_bytes", &secret_bytes, py::arg("passphrase") = py::none(),
           "Its bytes, in a bytearray that you can overwrite when they are no longer needed.")
      .def("check", &check_secret, "Whether it is sound: a list of what was looked at.")
      .def("__reduce_ex__",
           [](const SecretKey&, int) -> py::object {
             throw py::type_error(
                 "a secret key is not pickled, as pickles wander; use save() or "
                 "to_bytes(), with a passphrase");
           })
      .def("__repr__",
           [](const SecretKey& key) { return "<fhe.SecretKey: " + key.id().text() + ">"; });
}

}  // namespace

void add_keys(py::module_& module) {
  add_public_key(module);
  add_secret_key(module);
  module.def("generate_keys", &generate, py::arg("parameters"), py::arg("backend"),
             py::arg("test_seed"), py::arg("permutations"));
  module.def("load_public_key", &load_public, py::arg("source"),
             "The public key of a file (its path) or of bytes.");
  module.def("load_secret_key", &load_secret, py::arg("source"), py::arg("passphrase") = py::none(),
             "The secret key of a file (its path) or of bytes.");
  module.def("check_pair", &check_pair, py::arg("public"), py::arg("secret"),
             py::arg("backend") = py::none(),
             "Whether two keys belong together: a list of what was looked at.");
}

}  // namespace fhe::python
