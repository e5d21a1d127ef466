// SPDX-License-Identifier: Apache-2.0
// CRC-32 of IEEE 802.3, of descriptors and of the register map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fhe::fpga {

constexpr std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t remainder = 0xffff'ffff;
  for (const std::byte byte : bytes) {
    remainder ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ ((remainder & 1U) != 0 ? 0xedb8'8320U : 0U);
  }
  return ~remainder;
}

}  // namespace fhe::fpga
