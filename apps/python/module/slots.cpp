// SPDX-License-Identifier: Apache-2.0
// Permutations of slots, as lists: slot j of the result has the bit of slot sources[j].
#include "libfhe/scheme/slots.hpp"

#include <cstdint>
#include <vector>

#include <pybind11/stl.h>

#include "apps/python/module/parts.hpp"
#include "libfhe/error.hpp"

namespace fhe::python {

namespace {

using Sources = std::vector<std::uint32_t>;

Sources sources_of(const SlotPermutation& permutation) {
  return {permutation.sources().begin(), permutation.sources().end()};
}

void require_slots(std::size_t slots) {
  if (slots == 0) throw Error(ErrorCode::invalid_argument, "there is at least one slot");
}

Sources rotation(std::size_t slots, std::int64_t distance) {
  require_slots(slots);
  const auto count = static_cast<std::int64_t>(slots);
  const std::int64_t places = ((distance % count) + count) % count;
  return sources_of(SlotPermutation::rotation(slots, static_cast<std::size_t>(places)));
}

std::vector<Sources> all_rotations(std::size_t slots) {
  require_slots(slots);
  std::vector<Sources> all;
  for (const SlotPermutation& permutation : network_rotations(slots)) {
    all.push_back(sources_of(permutation));
  }
  return all;
}

}  // namespace

void add_slots(pybind11::module_& module) {
  module.def("rotation", &rotation, pybind11::arg("slots"), pybind11::arg("distance"),
             "The permutation by which slot j gets the bit of slot j + distance.");
  module.def("network_rotations", &all_rotations, pybind11::arg("slots"),
             "The rotations that a key must hold for every permutation to be possible.");
}

}  // namespace fhe::python
