// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/model/super_size_clocks.hpp"

#include <algorithm>

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint64_t kBlockWords = 8;
constexpr std::uint64_t kLengthClocks = 33;  // lengths in words
constexpr std::uint64_t kKeptLines = 5;  // of 512 bits, of a number that a port goes through again

// What memory adds: to a product by itself; where a port goes back to the beginning of a number
// that it has not kept; for a new pair of addresses; until all is written between two steps.
constexpr std::uint64_t kMemoryClocks = 118;
constexpr std::uint64_t kReturnClocks = 57;
constexpr std::uint64_t kPairClocks = 35;
constexpr std::uint64_t kSettleClocks = 118;
constexpr std::uint64_t kAddendClocks = 105;  // T and what follows from it
constexpr std::uint64_t kCopyClocks = 54;     // of the remainder, besides its words

bool is_kept(std::uint64_t bits) {
  return words_for_bits(bits) <= kKeptLines;
}

std::uint64_t returns(std::uint64_t bits) {
  return is_kept(bits) ? 0 : kReturnClocks;
}

std::uint64_t above(std::uint64_t x, std::uint64_t y) {
  return x > y ? x - y : 0;
}

}  // namespace

SuperSizeClocks::SuperSizeClocks(const Equipment& equipment) : word_(equipment.super_size_bits()) {
  const std::uint64_t log2_points = equipment.ss_param & 0xff;
  fill_ = 16 * log2_points + (log2_points - 4) + 31;
}

std::uint64_t SuperSizeClocks::words(std::uint64_t bits) const {
  return std::max<std::uint64_t>((bits + word_ - 1) / word_, 1);
}

// Eight clocks for each pair of blocks; for each block of x the port goes through all of y.
std::uint64_t SuperSizeClocks::blocks(std::uint64_t x, std::uint64_t y) const {
  const std::uint64_t rows = (words(x) + kBlockWords - 1) / kBlockWords;
  const std::uint64_t columns = (words(y) + kBlockWords - 1) / kBlockWords;
  return rows * (kBlockWords * columns + returns(y));
}

std::uint64_t SuperSizeClocks::product(std::uint64_t x, std::uint64_t y,
                                       std::uint64_t result) const {
  const std::uint64_t zeros = above(result / word_, words(x) + words(y) + 2 * kBlockWords);
  return kMemoryClocks + kLengthClocks + blocks(x, y) + fill_ + zeros;
}

// A product for each block of every weight, up to the end of the result.
std::uint64_t SuperSizeClocks::slices(const Sum& sum, std::uint64_t result) const {
  const std::uint64_t columns = (words(sum.weight) + kBlockWords - 1) / kBlockWords;
  const std::uint64_t slice = kBlockWords * word_;
  std::uint64_t clocks = 0;
  for (std::uint64_t column = 0; column < columns; ++column) {
    clocks += blocks(sum.element, slice) + fill_ + 3 + returns(result) * 3 / 4 +
              above(result / word_, words(sum.element) + (column + 2) * kBlockWords);
  }
  return kMemoryClocks + kLengthClocks + sum.terms * (clocks + kPairClocks);
}

std::uint64_t SuperSizeClocks::added_product(std::uint64_t x, std::uint64_t y,
                                             std::uint64_t result) const {
  return slices({.terms = 1, .element = x, .weight = y, .affine = false}, result);
}

std::uint64_t SuperSizeClocks::sweep(std::uint64_t bits) const {
  return bits / word_ + 1;
}

// Two lines are written for each of the sum, and one is written in two clocks.
std::uint64_t SuperSizeClocks::subtraction(std::uint64_t bits) const {
  return std::max(sweep(bits), 4 * words_for_bits(bits));
}

std::uint64_t SuperSizeClocks::sum(const Sum& sum, std::uint64_t result) const {
  return slices(sum, result) + (sum.affine ? kAddendClocks + sweep(result) : 0);
}

// x of so many bits: q, q A_0, and the difference.
std::uint64_t SuperSizeClocks::remainder(const BarrettShape& shape, std::uint64_t argument,
                                         std::uint64_t shift_words) const {
  const std::uint64_t quotient = (sweep(argument) - shape.shift_low / word_) * word_;
  return blocks(quotient, shift_words * word_) + blocks(shape.phi, quotient) + 2 * fill_ +
         subtraction(shape.phi) + 3 * kSettleClocks;
}

std::uint64_t SuperSizeClocks::reduction(const BarrettShape& shape, std::uint64_t result) const {
  return kLengthClocks + remainder(shape, shape.phi + shape.gamma, shape.shift_high / word_) +
         kCopyClocks + words_for_bits(result);
}

std::uint64_t SuperSizeClocks::terms(const Sum& sum) const {
  return sum.terms * (blocks(sum.element, sum.weight) + 9 + kPairClocks + returns(sum.element)) +
         fill_;
}

std::uint64_t SuperSizeClocks::reduced_sum(const Sum& sum, const BarrettShape& shape,
                                           std::uint64_t result) const {
  return terms(sum) + kSettleClocks / 2 + reduction(shape, result) +
         (sum.affine ? kAddendClocks + sweep(shape.phi + shape.gamma) : 0);
}

std::uint64_t SuperSizeClocks::nested_sum(const Sum& sum, std::uint64_t row_bits,
                                          const BarrettShape& shape, std::uint64_t result) const {
  const std::uint64_t row = terms(sum) +
                            remainder(shape, row_bits, sweep(row_bits) - shape.shift_low / word_) +
                            blocks(sum.element, shape.phi) + fill_ + 2 * kSettleClocks;
  return sum.terms * row + reduction(shape, result) +
         (sum.affine ? kAddendClocks + sweep(shape.phi + shape.gamma) : 0);
}

}  // namespace fhe::fpga
