// SPDX-License-Identifier: Apache-2.0
// Plain bits as arrays of numpy: uint8, each 0 or 1.
#pragma once

#include <cstdint>
#include <vector>

#include <pybind11/numpy.h>

#include "libfhe/scheme/slots.hpp"

namespace fhe::python {

using BitArray = pybind11::array_t<std::uint8_t, pybind11::array::c_style>;

// An array of one dimension as bits, and back.
std::vector<bool> bits_of_array(const BitArray& array);
BitArray array_of_bits(const std::vector<bool>& bits);

// An array of two dimensions as the slots of ciphertexts, a row for each, and back. `slots` is the
// length of the rows.
std::vector<SlotBits> slots_of_array(const BitArray& array);
BitArray array_of_slots(const std::vector<SlotBits>& rows, std::size_t slots);

}  // namespace fhe::python
