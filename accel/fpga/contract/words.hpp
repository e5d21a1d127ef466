// SPDX-License-Identifier: Apache-2.0
// The unit of device memory: words of 512 bits.
#pragma once

#include <cstdint>

#include "accel/fpga/contract/register_map.hpp"

namespace fhe::fpga {

inline constexpr std::uint64_t kWordBits = parameter::word_bits;
inline constexpr std::uint64_t kWordBytes = kWordBits / 8;

// Words that an operand of `bits` bits occupies.
constexpr std::uint64_t words_for_bits(std::uint64_t bits) {
  return (bits + kWordBits - 1) / kWordBits;
}

// Bytes that an operand of `bits` bits occupies in device memory.
constexpr std::uint64_t padded_bytes(std::uint64_t bits) {
  return words_for_bits(bits) * kWordBytes;
}

}  // namespace fhe::fpga
