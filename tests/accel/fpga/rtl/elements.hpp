// SPDX-License-Identifier: Apache-2.0
// Where the engines of elements find them in memory, and their results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/engine_memory.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

inline constexpr std::uint64_t kElements = std::uint64_t{7} << 32;
inline constexpr std::uint64_t kStored = 0x200'0000;
inline constexpr std::uint64_t kMasks = 0x1000;
inline constexpr std::uint64_t kSums = 0x100'0000;

// Puts elements one after the other, with ones behind the last one, and says how many words each
// has.
template <class Memory>
std::size_t store_elements(Memory& memory, const std::vector<Integer>& elements, std::size_t bits) {
  const std::size_t words = (bits + kWordBits - 1) / kWordBits;
  std::uint64_t address = kStored;
  for (const Integer& element : elements) {
    memory.store(address, element, words);
    address += words * kWordBits / 8;
  }
  memory.store(address, all_ones(4 * kWordBits), 4);
  return words;
}

// That so many words fill.
template <class Engine>
std::size_t lines_of(std::size_t words) {
  return (words + kLineWords<Engine> - 1) / kLineWords<Engine>;
}

}  // namespace fhe::test
