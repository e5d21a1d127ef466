// SPDX-License-Identifier: Apache-2.0
// What an evaluator does to ciphertexts one by one. Gates are circuits (programs.cpp), so that many
// are planned and run together.
#include "libfhe/gate/evaluator.hpp"

#include <cstdint>
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

namespace fhe::python {

namespace {

namespace py = pybind11;

Evaluator make_evaluator(const PublicKey& key, const std::optional<std::string>& backend,
                         bool refreshes, const std::string& adder) {
  return watched([&](const Monitor&) {
    return Evaluator(key, backend_of(backend),
                     refreshes ? RefreshPolicy::automatic() : RefreshPolicy::never(),
                     RecryptOptions{adder});
  });
}

Ciphertexts recrypt(const Evaluator& evaluator, const Ciphertexts& all) {
  return watched([&](const Monitor& monitor) {
    return Ciphertexts(evaluator.recrypt(all.values(), monitor));
  });
}

Ciphertexts permute(const Evaluator& evaluator, const Ciphertexts& all,
                    std::vector<std::uint32_t> sources) {
  return watched([&](const Monitor& monitor) {
    const SlotPermutation permutation(std::move(sources));
    return Ciphertexts(evaluator.permute(all.values(), permutation, monitor));
  });
}

Ciphertexts constants(const Evaluator& evaluator, const py::buffer& bits) {
  std::vector<Ciphertext> made;
  if (has_slots(bits)) {
    for (const SlotBits& row : slots_of_buffer(bits)) made.push_back(evaluator.constant(row));
  } else {
    for (const bool bit : bits_of_buffer(bits)) made.push_back(evaluator.constant(bit));
  }
  return Ciphertexts(std::move(made));
}

py::dict work_done(const Evaluator& evaluator) {
  const GateCounts done = evaluator.counts();
  py::dict row;
  row["gates"] = done.gates;
  row["products"] = done.products;
  row["recryptions"] = done.recryptions;
  return row;
}

py::dict noise_rule(const Evaluator& evaluator) {
  const NoiseRule rule = evaluator.noise_rule();
  py::dict row;
  row["fresh"] = evaluator.key().fresh_noise().bits();
  row["refreshed"] = evaluator.key().refreshed_noise().bits();
  row["refresh_limit"] = rule.refresh_limit.bits();
  row["decrypt_limit"] = rule.decrypt_limit.bits();
  row["product_growth"] = rule.product_growth.bits();
  return row;
}

}  // namespace

void add_evaluator(py::module_& module) {
  py::class_<Evaluator>(module, "Evaluator")
      .def(py::init(&make_evaluator), py::arg("key"), py::arg("backend"), py::arg("refreshes"),
           py::arg("adder"))
      .def("recrypt", &recrypt, py::arg("ciphertexts"))
      .def("permute", &permute, py::arg("ciphertexts"), py::arg("sources"))
      .def("constants", &constants, py::arg("bits"))
      .def_property_readonly("counts", &work_done)
      .def_property_readonly("noise_rule", &noise_rule);
}

}  // namespace fhe::python
