// SPDX-License-Identifier: Apache-2.0
// Words to digits of 52 bits, four at a time, and back, for the source with the flags of AVX2 (see
// simd/portable.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "accel/cpu/schoolbook/fold_kernel.hpp"
#include "accel/cpu/simd/avxifma.hpp"
#include "accel/cpu/simd/digit.hpp"
#include "accel/cpu/simd/each.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kBlockVectors = kBlockDigits / kWidth;
static_assert(kBlockVectors == 4);

struct Block {
  Vec digits[kBlockVectors];
};

// Words that are read for a block which starts at any bit of the first of them: the digits of the
// last vector begin in word 10 at most, and are in it and four more.
constexpr std::size_t kReadWords = 15;

// Where four digits begin: lane l takes what follows bit shift[l] of word first + from[l]. The lane
// numbers of `from` are those of the two halves of each word.
struct DigitCut {
  std::size_t first;
  Vec from;
  Vec shift;
};

struct BlockCut {
  DigitCut vectors[kBlockVectors];
};

// How the words of a block are cut that starts at bit `shift` < 64 of the first of them.
[[gnu::always_inline]] inline BlockCut block_cut(std::size_t shift) {
  BlockCut cut;
  for (std::size_t v = 0; v < kBlockVectors; ++v) {
    const std::size_t start = shift + v * kWidth * kDigitBits;
    alignas(32) std::uint64_t from[kWidth];
    alignas(32) std::uint64_t shifts[kWidth];
    for (std::size_t l = 0; l < kWidth; ++l) {
      const std::uint64_t word = (start % 64 + kDigitBits * l) / 64;
      from[l] = 2 * word | (2 * word + 1) << 32;
      shifts[l] = (start + kDigitBits * l) % 64;
    }
    cut.vectors[v] = {start / 64, load(from), load(shifts)};
  }
  return cut;
}

// The digits of a block out of kReadWords words; what stands above their 52 bits is undefined.
[[gnu::always_inline]] inline Block cut_block(const std::uint64_t* words, const BlockCut& cut) {
  Block block;
  each<kBlockVectors>([&](auto v) __attribute__((always_inline)) {
    const DigitCut& c = cut.vectors[v];
    const Vec low = _mm256_permutevar8x32_epi32(load_unaligned(words + c.first), c.from);
    const Vec high = _mm256_permutevar8x32_epi32(load_unaligned(words + c.first + 1), c.from);
    block.digits[v] = bit_or(shift_right(low, c.shift), shift_left(high, sub(all(64), c.shift)));
  });
  return block;
}

// Words are cut one by one, at bits that are known beforehand.
struct WordCut {};

[[gnu::always_inline]] inline WordCut word_cut() {
  return {};
}

// The kBlockWords words of digits in [0, 2^52): each has parts of two digits or three.
[[gnu::always_inline]] inline void store_words(std::uint64_t* to, const Block& block,
                                               const WordCut& /*cut*/) {
  alignas(32) std::uint64_t digits[kBlockDigits];
  each<kBlockVectors>([&](auto v) __attribute__((always_inline)) {
    store(digits + v * kWidth, block.digits[v]);
  });
  each<kBlockWords>([&](auto word) __attribute__((always_inline)) {
    constexpr std::size_t kFirst = word * 64 / kDigitBits;
    constexpr std::size_t kShift = word * 64 % kDigitBits;
    std::uint64_t bits = digits[kFirst] >> kShift | digits[kFirst + 1] << (kDigitBits - kShift);
    if constexpr (2 * kDigitBits - kShift < 64) {
      bits |= digits[kFirst + 2] << (2 * kDigitBits - kShift);
    }
    to[word] = bits;
  });
}

}  // namespace

}  // namespace fhe::cpu
