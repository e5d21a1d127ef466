// SPDX-License-Identifier: Apache-2.0
// The parts of the Python module `fhe._core`, each in a source of its own: what they bind is typed
// and shaped by the Python code of apps/python/fhe, which alone uses it.
#pragma once

#include <pybind11/pybind11.h>

namespace fhe::python {

// Adds the translation of fhe::Error to the class that Python has for its code.
void add_errors(pybind11::module_& module);
// Adds `progress`, the variable of the callback that is told how far a long call is.
void add_watched_calls(pybind11::module_& module);
// Adds Bytes, memory that Python reads in place.
void add_bytes(pybind11::module_& module);
// Adds ParameterSet, and the names of the built-in groups.
void add_parameters(pybind11::module_& module);
// Adds what is known of backends, and the limit of threads.
void add_backends(pybind11::module_& module);
// Adds PublicKey and SecretKey, and what makes, loads and checks them.
void add_keys(pybind11::module_& module);
// Adds Ciphertexts and CompressedCiphertexts.
void add_ciphertexts(pybind11::module_& module);
// Adds Encryptor, SecretEncryptor and Decryptor.
void add_encryption(pybind11::module_& module);
// Adds Evaluator, and what it does to ciphertexts one by one.
void add_evaluator(pybind11::module_& module);
// Adds slots: rotations, and the permutations that keys can hold.
void add_slots(pybind11::module_& module);
// Adds Netlist, Builder and Word: circuits, and how they are traced.
void add_circuits(pybind11::module_& module);
// Adds Program: circuits planned for keys, and their runs.
void add_programs(pybind11::module_& module);

}  // namespace fhe::python
