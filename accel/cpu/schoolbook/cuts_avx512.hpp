// SPDX-License-Identifier: Apache-2.0
// Words to digits of 52 bits and back, eight at a time, for the source with the flags of AVX-512
// IFMA (see simd/portable.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/schoolbook/fold_kernel.hpp"
#include "accel/cpu/simd/digit.hpp"
#include "accel/cpu/simd/ifma.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kBlockVectors = kBlockDigits / kWidth;
static_assert(kBlockVectors == 2);

struct Block {
  Vec digits[kBlockVectors];
};

// Words that are read for a block which starts at any bit of the first of them.
constexpr std::size_t kReadWords = 6 + kWidth;

// Where eight digits or words begin: lane l takes what follows bit shift[l] of number first[l].
struct Cut {
  Vec first;
  Vec shift;
};

// Numbers of `width` bits, cut at bits `start` + `step` l.
[[gnu::always_inline]] inline Cut cut(std::size_t start, std::size_t step, std::size_t width) {
  alignas(64) std::uint64_t first[kWidth];
  alignas(64) std::uint64_t shift[kWidth];
  for (std::size_t l = 0; l < kWidth; ++l) {
    first[l] = (start + step * l) / width;
    shift[l] = (start + step * l) % width;
  }
  return {load(first), load(shift)};
}

// Eight digits out of eight words; what stands above their 52 bits is undefined.
[[gnu::always_inline]] inline Vec digits_of(Vec words, const Cut& cut) {
  const Vec low = shift_right(permute(words, cut.first), cut.shift);
  const Vec high = shift_left(permute(words, add(cut.first, all(1))), sub(all(64), cut.shift));
  return bit_or(low, high);
}

// Eight words out of 16 digits: each has parts of two digits or three.
[[gnu::always_inline]] inline Vec words_of(Vec x, Vec y, const Cut& cut) {
  const Vec low = shift_right(permute_pair(x, y, cut.first), cut.shift);
  const Vec middle =
      shift_left(permute_pair(x, y, add(cut.first, all(1))), sub(all(kDigitBits), cut.shift));
  const Vec high =
      shift_left(permute_pair(x, y, add(cut.first, all(2))), sub(all(2 * kDigitBits), cut.shift));
  return bit_or(low, bit_or(middle, high));
}

// How the words of a block are cut that starts at bit `shift` < 64 of the first of them: digits 0
// to 7 are in words 0 to 7, digits 8 to 15 in words 6 to 13.
struct BlockCut {
  Cut low;
  Cut high;
};

[[gnu::always_inline]] inline BlockCut block_cut(std::size_t shift) {
  return {cut(shift, kDigitBits, 64), cut(shift + kWidth * kDigitBits - 6 * 64, kDigitBits, 64)};
}

// The digits of a block out of kReadWords words; what stands above their 52 bits is undefined.
[[gnu::always_inline]] inline Block cut_block(const std::uint64_t* words, const BlockCut& cut) {
  return {
      {digits_of(load_unaligned(words), cut.low), digits_of(load_unaligned(words + 6), cut.high)}};
}

// How words are cut from the digits of a block.
struct WordCut {
  Cut low;
  Cut high;
};

[[gnu::always_inline]] inline WordCut word_cut() {
  return {cut(0, 64, kDigitBits), cut(kWidth * 64, 64, kDigitBits)};
}

// The kBlockWords words of digits in [0, 2^52).
[[gnu::always_inline]] inline void store_words(std::uint64_t* to, const Block& block,
                                               const WordCut& cut) {
  constexpr Mask kLast = (1U << (kBlockWords - kWidth)) - 1;
  store_unaligned(to, words_of(block.digits[0], block.digits[1], cut.low));
  store_where(kLast, to + kWidth, words_of(block.digits[0], block.digits[1], cut.high));
}

}  // namespace

}  // namespace fhe::cpu
