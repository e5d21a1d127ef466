// SPDX-License-Identifier: Apache-2.0
// Bits of registers, and what read-only registers of a device of this version hold.
#pragma once

#include <cstdint>

#include "accel/fpga/contract/register_map.hpp"

namespace fhe::fpga {

// The word in which only this bit is 1.
constexpr std::uint32_t bit(std::uint32_t number) {
  return std::uint32_t{1} << number;
}

constexpr bool has_bit(std::uint32_t word, std::uint32_t number) {
  return (word & bit(number)) != 0;
}

// 64-bit values in pairs of registers, and in descriptors: the low half first.
constexpr std::uint32_t low_half(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

constexpr std::uint32_t high_half(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

constexpr std::uint64_t join_halves(std::uint32_t low, std::uint32_t high) {
  return low | std::uint64_t{high} << 32;
}

inline constexpr std::uint32_t kLimits = 6 |  // addresses are multiples of 2^6
                                         parameter::queue_depth << 8 | parameter::contexts << 16;
inline constexpr std::uint32_t kSparseLimits = parameter::sparse_block_bits |
                                               parameter::sparse_weight << 16 |
                                               parameter::sparse_index_bits << 24;

// What every device must have.
inline constexpr std::uint32_t kNeededFeatures =
    bit(feature::acc) | bit(feature::perf) | bit(feature::cmdring);

inline constexpr std::uint32_t kAllInterrupts =
    bit(irq::completion) | bit(irq::error) | bit(irq::watchdog);

}  // namespace fhe::fpga
