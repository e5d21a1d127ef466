// SPDX-License-Identifier: Apache-2.0
// Bits encrypted and decrypted. Buffers of bits have one dimension, a bit for each ciphertext; or
// two, the slots of each.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "apps/python/module/backend_of.hpp"
#include "apps/python/module/bits.hpp"
#include "apps/python/module/ciphertexts.hpp"
#include "apps/python/module/parts.hpp"
#include "apps/python/module/watched.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::python {

namespace {

namespace py = pybind11;

using MaybeText = std::optional<std::string>;

Encryptor make_encryptor(const PublicKey& key, const MaybeText& backend) {
  return watched([&](const Monitor&) { return Encryptor(key, backend_of(backend)); });
}

Ciphertexts encrypt(const Encryptor& encryptor, const py::buffer& bits) {
  if (has_slots(bits)) {
    return watched([&, rows = slots_of_buffer(bits)](const Monitor& monitor) {
      return Ciphertexts(encryptor.encrypt_slots(rows, {}, monitor));
    });
  }
  return watched([&, plain = bits_of_buffer(bits)](const Monitor& monitor) {
    return Ciphertexts(encryptor.encrypt(plain, {}, monitor));
  });
}

CompressedCiphertexts encrypt_as_owner(const SecretEncryptor& encryptor, const py::buffer& bits) {
  if (has_slots(bits)) {
    return watched([&, rows = slots_of_buffer(bits)](const Monitor& monitor) {
      return encryptor.encrypt_slots(rows, monitor);
    });
  }
  return watched([&, plain = bits_of_buffer(bits)](const Monitor& monitor) {
    return encryptor.encrypt(plain, monitor);
  });
}

// What decrypts, and measures noise: a decryptor and its key.
class Opener {
 public:
  Opener(std::shared_ptr<SecretKey> key, const MaybeText& backend)
      : key_(std::move(key)), decryptor_(*key_, backend_of(backend)) {}

  [[nodiscard]] const Decryptor& decryptor() const { return decryptor_; }
  [[nodiscard]] const SecretKey& key() const { return *key_; }

 private:
  std::shared_ptr<SecretKey> key_;
  Decryptor decryptor_;
};

Bytes decrypt(const Opener& opener, const Ciphertexts& all) {
  return bytes_of_bits(watched(
      [&](const Monitor& monitor) { return opener.decryptor().decrypt(all.values(), monitor); }));
}

Bytes decrypt_slots(const Opener& opener, const Ciphertexts& all) {
  const std::vector<SlotBits> rows = watched([&](const Monitor& monitor) {
    return opener.decryptor().decrypt_slots(all.values(), monitor);
  });
  return bytes_of_slots(rows);
}

// The real noise of each, the largest of all slots, in bits.
std::vector<double> measure_noise(const Opener& opener, const Ciphertexts& all) {
  return watched([&](const Monitor& monitor) {
    const SecretMaterial& secret = opener.key().material();
    std::vector<double> noise;
    for (std::size_t i = 0; i < all.size(); ++i) {
      monitor.throw_if_stopped();
      require_ciphertext_of(opener.key().id(), secret.modulus(), all.at(i));
      noise.push_back(secret.measure_noise(all.at(i).value()).bits());
    }
    return noise;
  });
}

}  // namespace

void add_encryption(py::module_& module) {
  py::class_<Encryptor>(module, "Encryptor")
      .def(py::init(&make_encryptor), py::arg("key"), py::arg("backend"))
      .def("prepare",
           [](const Encryptor& encryptor) {
             watched([&](const Monitor& monitor) { encryptor.prepare(monitor); });
           })
      .def("encrypt", &encrypt, py::arg("bits"));
  py::class_<SecretEncryptor>(module, "SecretEncryptor")
      .def(py::init([](const SecretKey& key, const MaybeText& backend) {
             return SecretEncryptor(key, backend_of(backend));
           }),
           py::arg("key"), py::arg("backend"))
      .def("encrypt", &encrypt_as_owner, py::arg("bits"));
  py::class_<Opener>(module, "Decryptor")
      .def(py::init<std::shared_ptr<SecretKey>, const MaybeText&>(), py::arg("key"),
           py::arg("backend"))
      .def("decrypt", &decrypt, py::arg("ciphertexts"))
      .def("decrypt_slots", &decrypt_slots, py::arg("ciphertexts"))
      .def("measure_noise", &measure_noise, py::arg("ciphertexts"));
}

}  // namespace fhe::python
