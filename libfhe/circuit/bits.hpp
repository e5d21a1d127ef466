// SPDX-License-Identifier: Apache-2.0
// Numbers as bits, to be encrypted, and bits as numbers again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fhe {

// The lowest `width` <= 64 bits of a number, bit 0 first.
[[nodiscard]] inline std::vector<bool> bits_of(std::uint64_t number, std::size_t width) {
  std::vector<bool> bits(width);
  for (std::size_t i = 0; i < width; ++i) bits[i] = (number >> i & 1) != 0;
  return bits;
}

// The number whose bit i is bits[first + i], for i below `count` <= 64 and as long as there are
// bits.
[[nodiscard]] inline std::uint64_t number_of(const std::vector<bool>& bits, std::size_t first = 0,
                                             std::size_t count = 64) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < count && first + i < bits.size(); ++i) {
    number |= std::uint64_t{bits[first + i]} << i;
  }
  return number;
}

}  // namespace fhe
