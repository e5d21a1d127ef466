// SPDX-License-Identifier: Apache-2.0
#include "apps/python/module/bits.hpp"

#include <algorithm>
#include <cstddef>

namespace fhe::python {

namespace {

namespace py = pybind11;

void require_dimensions(const BitArray& array, py::ssize_t dimensions) {
  if (array.ndim() != dimensions) throw py::value_error("bits of another number of dimensions");
}

}  // namespace

std::vector<bool> bits_of_array(const BitArray& array) {
  require_dimensions(array, 1);
  return std::vector<bool>(array.data(), array.data() + array.size());
}

BitArray array_of_bits(const std::vector<bool>& bits) {
  BitArray array(static_cast<py::ssize_t>(bits.size()));
  std::copy(bits.begin(), bits.end(), array.mutable_data());
  return array;
}

std::vector<SlotBits> slots_of_array(const BitArray& array) {
  require_dimensions(array, 2);
  std::vector<SlotBits> rows;
  const py::ssize_t slots = array.shape(1);
  for (py::ssize_t i = 0; i < array.shape(0); ++i) {
    const std::uint8_t* const row = array.data() + i * slots;
    rows.emplace_back(row, row + slots);
  }
  return rows;
}

BitArray array_of_slots(const std::vector<SlotBits>& rows, std::size_t slots) {
  BitArray array({rows.size(), slots});
  std::uint8_t* to = array.mutable_data();
  for (const SlotBits& row : rows) to = std::copy(row.begin(), row.end(), to);
  return array;
}

}  // namespace fhe::python
