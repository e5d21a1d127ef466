// SPDX-License-Identifier: Apache-2.0
// How many clocks super_size_encrypt takes (rtl/super_size/super_size_encrypt.sv), alone and with a
// memory that never stops it. The tests of the RTL hold it to these.
#pragma once

#include <bit>
#include <cstddef>

namespace fhe::fpga {

// A machine of so many points (k) of digits of so many bits (b). Lengths are in bits, times in
// clocks.
struct SuperSizeShape {
  std::size_t points = 16;
  std::size_t digit = 28;

  [[nodiscard]] constexpr std::size_t word() const { return points / 16 * digit; }
  [[nodiscard]] constexpr std::size_t block() const { return kBlockWords * word(); }

  // Eight clocks for each pair of blocks.
  [[nodiscard]] constexpr std::size_t blocks(std::size_t x, std::size_t y) const {
    return kBlockWords * quotient(x, block()) * quotient(y, block());
  }
  // From the start of a product to its end, without `blocks`.
  [[nodiscard]] constexpr std::size_t fill() const {
    return 16 * log2(points) + log2(points / 16) + 31;
  }
  // The paper's: a block read, 16 log2(k) + 16.
  [[nodiscard]] constexpr std::size_t published_fill() const { return 16 * log2(points) + 24; }

  // A sum of `terms` products of `element` by `weight` bits, each begun `kTermClocks` after the
  // blocks of the one before (`overlap` = 1), and its remainder modulo a number as long as an
  // element by the least reciprocal. Nearly.
  [[nodiscard]] constexpr std::size_t encryption(std::size_t terms, std::size_t element,
                                                 std::size_t weight) const {
    const std::size_t head = weight + static_cast<std::size_t>(std::bit_width(terms)) + word();
    const std::size_t sums = terms * (blocks(element, weight) + kTermClocks) + fill();
    const std::size_t sweeps = quotient(element + head, word()) + quotient(element, word());
    return kLengthClocks + sums + sweeps + blocks(head, head) + blocks(element, head) + 2 * fill();
  }

  static constexpr std::size_t kBlockWords = 8;
  static constexpr std::size_t kLengthClocks = 33;  // lengths in words, once
  static constexpr std::size_t kTermClocks = 9;

 private:
  static constexpr std::size_t log2(std::size_t power) {
    return static_cast<std::size_t>(std::bit_width(power)) - 1;
  }
  // Rounded up.
  static constexpr std::size_t quotient(std::size_t a, std::size_t b) { return (a + b - 1) / b; }
};

}  // namespace fhe::fpga
