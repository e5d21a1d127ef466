// SPDX-License-Identifier: Apache-2.0
// How many clocks the units of the super-size multiplier take.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/equipment.hpp"

namespace fhe::fpga {

// How many clocks super_size_engine takes (rtl/super_size/super_size_engine.sv), nearly.
//
// On a device that has the engine. From `start` to `done`; lengths in bits.
class SuperSizeClocks {
 public:
  explicit SuperSizeClocks(const Equipment& equipment);

  [[nodiscard]] std::uint64_t product(std::uint64_t x, std::uint64_t y, std::uint64_t result) const;
  // One that is added to what is in the result.
  [[nodiscard]] std::uint64_t added_product(std::uint64_t x, std::uint64_t y,
                                            std::uint64_t result) const;
  [[nodiscard]] std::uint64_t reduction(const BarrettShape& shape, std::uint64_t result) const;

  struct Sum {
    std::uint64_t terms, element, weight;
    bool affine;
  };
  [[nodiscard]] std::uint64_t sum(const Sum& sum, std::uint64_t result) const;
  [[nodiscard]] std::uint64_t reduced_sum(const Sum& sum, const BarrettShape& shape,
                                          std::uint64_t result) const;
  // Of `terms` rows of as many terms, below 2^row_bits each.
  [[nodiscard]] std::uint64_t nested_sum(const Sum& sum, std::uint64_t row_bits,
                                         const BarrettShape& shape, std::uint64_t result) const;

 private:
  [[nodiscard]] std::uint64_t words(std::uint64_t bits) const;
  [[nodiscard]] std::uint64_t blocks(std::uint64_t x, std::uint64_t y) const;
  [[nodiscard]] std::uint64_t slices(const Sum& sum, std::uint64_t result) const;
  [[nodiscard]] std::uint64_t sweep(std::uint64_t bits) const;
  [[nodiscard]] std::uint64_t subtraction(std::uint64_t bits) const;
  [[nodiscard]] std::uint64_t remainder(const BarrettShape& shape, std::uint64_t argument,
                                        std::uint64_t shift_words) const;
  [[nodiscard]] std::uint64_t terms(const Sum& sum) const;

  std::uint64_t word_;  // bits
  std::uint64_t fill_;  // clocks of a product beyond those of its blocks
};

// How many clocks super_size_encrypt takes (rtl/super_size/super_size_encrypt.sv), alone and with a
// memory that never stops it. The tests of the RTL hold it to these.
//
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
