// SPDX-License-Identifier: Apache-2.0
// What the targets that read circuits do with their input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "tests/hostile/target.hpp"
#include "tests/support/circuit_oracle.hpp"

namespace fhe::hostile {

// Circuits of many wires, which a short text can declare, are only read unless they are drawn.
template <class Parse>
void check_circuit_input(const Parse& parse, const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostPlanned = 512;
  const std::size_t most_checked =
      is_drawn(data, size) ? std::numeric_limits<std::size_t>::max() : 2048;
  test::check_circuit_text(parse, text_of(data, size), kMostPlanned, most_checked);
}

}  // namespace fhe::hostile
