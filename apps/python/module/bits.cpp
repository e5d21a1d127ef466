// SPDX-License-Identifier: Apache-2.0
#include "apps/python/module/bits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

namespace fhe::python {

namespace {

namespace py = pybind11;

bool is_contiguous(const py::buffer_info& info) {
  py::ssize_t stride = info.itemsize;
  for (py::ssize_t axis = info.ndim - 1; axis >= 0; --axis) {
    const auto i = static_cast<std::size_t>(axis);
    if (info.shape[i] > 1 && info.strides[i] != stride) return false;
    stride *= info.shape[i];
  }
  return true;
}

py::buffer_info bytes_in(const py::buffer& buffer, py::ssize_t dimensions) {
  py::buffer_info info = buffer.request();
  if (info.ndim != dimensions) throw py::value_error("bits of another number of dimensions");
  if (info.itemsize != 1 || !is_contiguous(info)) {
    throw py::value_error("bits are contiguous bytes of 0 or 1");
  }
  return info;
}

std::span<const std::uint8_t> bytes_of(const py::buffer_info& info) {
  return {static_cast<const std::uint8_t*>(info.ptr), static_cast<std::size_t>(info.size)};
}

void append(const std::vector<bool>& bits, std::vector<std::byte>& to) {
  std::ranges::transform(bits, std::back_inserter(to), [](bool bit) { return std::byte{bit}; });
}

}  // namespace

bool has_slots(const py::buffer& bits) {
  return bits.request().ndim == 2;
}

std::vector<bool> bits_of_buffer(const py::buffer& bits) {
  const py::buffer_info info = bytes_in(bits, 1);
  const auto bytes = bytes_of(info);
  return {bytes.begin(), bytes.end()};
}

Bytes bytes_of_bits(const std::vector<bool>& bits) {
  std::vector<std::byte> bytes;
  bytes.reserve(bits.size());
  append(bits, bytes);
  return Bytes(std::move(bytes));
}

std::vector<SlotBits> slots_of_buffer(const py::buffer& rows) {
  const py::buffer_info info = bytes_in(rows, 2);
  const auto slots = static_cast<std::size_t>(info.shape[1]);
  std::vector<SlotBits> bits;
  for (std::size_t i = 0; i < static_cast<std::size_t>(info.shape[0]); ++i) {
    const auto row = bytes_of(info).subspan(i * slots, slots);
    bits.emplace_back(row.begin(), row.end());
  }
  return bits;
}

Bytes bytes_of_slots(const std::vector<SlotBits>& rows) {
  std::vector<std::byte> bytes;
  for (const SlotBits& row : rows) append(row, bytes);
  return Bytes(std::move(bytes));
}

}  // namespace fhe::python
