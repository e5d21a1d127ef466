// SPDX-License-Identifier: Apache-2.0
// Plain bits between Python and the library: bytes of 0 or 1, by the protocol of buffers. The C
// interface of numpy is not used, since its structures differ between the versions of numpy.
#pragma once

#include <vector>

#include <pybind11/pybind11.h>

#include "apps/python/module/bytes.hpp"
#include "libfhe/scheme/slots.hpp"

namespace fhe::python {

// Whether a buffer holds a row of slots for each ciphertext (two dimensions) or a bit (one).
bool has_slots(const pybind11::buffer& bits);

// Returns the bits of a buffer of one dimension. Throws ValueError unless it has contiguous bytes.
std::vector<bool> bits_of_buffer(const pybind11::buffer& bits);
Bytes bytes_of_bits(const std::vector<bool>& bits);

// Returns the rows of a buffer of two dimensions, each the slots of a ciphertext. Throws ValueError
// as above. The bytes are the rows, one after the other.
std::vector<SlotBits> slots_of_buffer(const pybind11::buffer& rows);
Bytes bytes_of_slots(const std::vector<SlotBits>& rows);

}  // namespace fhe::python
