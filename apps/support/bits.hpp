// Numbers as the bits that are encrypted, the lowest first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fhe::apps {

// The lowest `width` <= 64 bits of the number.
[[nodiscard]] inline std::vector<bool> bits_of(std::uint64_t number, std::size_t width) {
  std::vector<bool> bits;
  for (std::size_t i = 0; i < width; ++i) bits.push_back((number >> i & 1) != 0);
  return bits;
}

// The number of these bits, at most 64.
[[nodiscard]] inline std::uint64_t number_of(const std::vector<bool>& bits) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) number |= std::uint64_t{bits[i]} << i;
  return number;
}

}  // namespace fhe::apps
