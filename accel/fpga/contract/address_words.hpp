// SPDX-License-Identifier: Apache-2.0
// 64-bit addresses in two words of descriptors and context records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "accel/fpga/contract/register_values.hpp"

namespace fhe::fpga {

template <std::size_t kSize>
void put_address(std::array<std::uint32_t, kSize>& words, std::uint32_t at, std::uint64_t address) {
  words[at] = low_half(address);
  words[at + 1] = high_half(address);
}

template <std::size_t kSize>
std::uint64_t get_address(const std::array<std::uint32_t, kSize>& words, std::uint32_t at) {
  return join_halves(words[at], words[at + 1]);
}

}  // namespace fhe::fpga
