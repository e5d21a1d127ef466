// SPDX-License-Identifier: Apache-2.0
#include "apps/python/module/parts.hpp"

PYBIND11_MODULE(_core, module) {
  namespace parts = fhe::python;
  module.doc() = "What the package fhe is made of; programs use the package.";
  module.attr("version") = FHE_VERSION;
  parts::add_errors(module);
  parts::add_watched_calls(module);
  parts::add_bytes(module);
  parts::add_parameters(module);
  parts::add_backends(module);
  parts::add_keys(module);
  parts::add_ciphertexts(module);
  parts::add_slots(module);
  parts::add_encryption(module);
  parts::add_evaluator(module);
  parts::add_circuits(module);
  parts::add_programs(module);
}
