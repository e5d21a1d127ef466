// SPDX-License-Identifier: Apache-2.0
// The pass of fold_kernel.hpp, for source files with vector flags that include the cuts of their
// instruction set before (see simd/portable.hpp): cuts_avx512.hpp or cuts_avx2.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "accel/cpu/schoolbook/fold_kernel.hpp"
#include "accel/cpu/simd/digit.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ripple.hpp"

namespace fhe::cpu {

namespace {

// Blocks whose columns are summed together: eight sums, so many that the latency of one addition is
// hidden behind the others.
constexpr std::size_t kStepBlocks = 4 / kBlockVectors;
constexpr std::size_t kStepDigits = kStepBlocks * kBlockDigits;
constexpr std::size_t kStepVectors = kStepDigits / kWidth;

// Steps for which h is parted into digits at a time.
constexpr std::size_t kTileSteps = kFoldTileDigits / kStepDigits;
static_assert(kTileSteps * kStepDigits == kFoldTileDigits);

// The block that starts in word `at` of x, beyond whose end there are zeros.
[[gnu::always_inline]] inline Block block_at(std::span<const std::uint64_t> x, std::size_t at,
                                             const BlockCut& cut) {
  const std::uint64_t* words = x.data() + at;
  std::uint64_t copy[kReadWords];
  if (at + kReadWords > x.size()) {
    for (std::size_t i = 0; i < kReadWords; ++i) copy[i] = at + i < x.size() ? x[at + i] : 0;
    words = copy;
  }
  return cut_block(words, cut);
}

[[gnu::always_inline]] inline Block no_digits() {
  Block block;
  each<kBlockVectors>([&](auto v) __attribute__((always_inline)) { block.digits[v] = zero(); });
  return block;
}

// The digits of block `index` of l: of x below bit n.
[[gnu::always_inline]] inline Block low_block(std::span<const std::uint64_t> x, std::size_t n,
                                              std::size_t index, const BlockCut& cut) {
  const std::size_t first = index * kBlockDigits * kDigitBits;
  if (first >= n) return no_digits();
  Block block = block_at(x, index * kBlockWords, cut);
  alignas(64) std::uint64_t kept[kBlockDigits];
  const bool whole = n >= first + kBlockDigits * kDigitBits;
  if (!whole) {
    for (std::size_t d = 0; d < kBlockDigits; ++d) {
      const std::size_t bit = first + d * kDigitBits;
      const std::size_t bits = bit >= n ? 0 : n - bit;
      kept[d] = bits >= kDigitBits ? kDigitMask : (std::uint64_t{1} << bits) - 1;
    }
  }
  each<kBlockVectors>([&](auto v) __attribute__((always_inline)) {
    const Vec mask = whole ? all(kDigitMask) : load(kept + v * kWidth);
    block.digits[v] = bit_and(block.digits[v], mask);
  });
  return block;
}

// What goes from one vector of columns into the next.
struct Carry {
  Vec high;         // the high halves of the products
  Vec above;        // the bits of the columns above their 52
  unsigned ripple;  // 0 or 1
};

// Digits in [0, 2^52) out of columns. With what the upper bits of the column below add, a digit is
// at most 2^52 + 2^12; where it is 2^52 or more, or 2^52 - 1 and a 1 comes from below, a 1 goes up.
[[gnu::always_inline]] inline Vec carried(Vec low, Vec high, Carry& carry) {
  const Vec mask = all(kDigitMask);
  const Vec column = add(low, lanes_up<1>(high, carry.high));
  const Vec above = shift_right<static_cast<int>(kDigitBits)>(column);
  const Vec digit = add(bit_and(column, mask), lanes_up<1>(above, carry.above));
  carry.high = high;
  carry.above = above;
  const Mask ones = ripple(less_signed(mask, digit), equal(digit, mask), carry.ripple);
  return bit_and(add_where(ones, digit, all(1)), mask);
}

// The products of a step's columns, added to `low` and `high`; `h` are the digits of h from the
// step's own first one on, with as many before them as r has.
[[gnu::always_inline]] inline void add_products(const std::uint64_t* h,
                                                std::span<const std::uint64_t> r,
                                                Vec (&low)[kStepVectors],
                                                Vec (&high)[kStepVectors]) {
  for (std::size_t j = 0; j < r.size(); ++j) {
    const Vec factor = all(r[j]);
    each<kStepVectors>([&](auto v) __attribute__((always_inline)) {
      const Vec digit = load_unaligned(h + v * kWidth - j);
      low[v] = add_low(low[v], digit, factor);
      high[v] = add_high(high[v], digit, factor);
    });
  }
}

// Writes the words of block `index`, as far as they are in x.
[[gnu::always_inline]] inline void write_block(std::span<std::uint64_t> x, std::size_t index,
                                               const Block& block, const WordCut& cut) {
  const std::size_t at = index * kBlockWords;
  if (at + kBlockWords <= x.size()) return store_words(x.data() + at, block, cut);
  std::uint64_t copy[kBlockWords];
  store_words(copy, block, cut);
  for (std::size_t i = at; i < x.size(); ++i) x[i] = copy[i - at];
}

// Steps whose columns hold l and h r, and what they carry.
[[gnu::always_inline]] inline std::size_t steps_of(std::size_t words, std::size_t n,
                                                   std::size_t r_digits) {
  const std::size_t product = (words * 64 - n) / kDigitBits + 1 + r_digits;
  const std::size_t low = n / kDigitBits + 1;
  return (product > low ? product : low) / kStepDigits + 1;
}

// In place: the columns of a tile are written when the digits of h for it have been read, and h
// lies n bits above them; l is read block by block before it is overwritten.
[[gnu::always_inline]] inline void fold_in_tiles(std::span<std::uint64_t> x, std::size_t n,
                                                 std::span<const std::uint64_t> r,
                                                 std::uint64_t* tile) {
  const BlockCut high_cut = block_cut(n % 64);
  const BlockCut low_cut = block_cut(0);
  const WordCut words = word_cut();
  const std::size_t before = fold_digits_before(r.size());
  std::uint64_t* const own = tile + before;
  for (std::size_t i = 0; i < before; i += kWidth) store(tile + i, zero());
  Carry carry{zero(), zero(), 0};
  const std::size_t steps = steps_of(x.size(), n, r.size());
  for (std::size_t first = 0; first < steps; first += kTileSteps) {
    const std::size_t last = steps - first > kTileSteps ? first + kTileSteps : steps;
    for (std::size_t block = 0; block < (last - first) * kStepBlocks; ++block) {
      const std::size_t at = n / 64 + (first * kStepBlocks + block) * kBlockWords;
      const Block h = at < x.size() ? block_at(x, at, high_cut) : no_digits();
      each<kBlockVectors>([&](auto v) __attribute__((always_inline)) {
        store(own + block * kBlockDigits + v * kWidth, h.digits[v]);
      });
    }
    for (std::size_t step = first; step < last; ++step) {
      Vec low[kStepVectors];
      Vec high[kStepVectors];
      each<kStepBlocks>([&](auto b) __attribute__((always_inline)) {
        const Block l = low_block(x, n, step * kStepBlocks + b, low_cut);
        each<kBlockVectors>([&](auto v) __attribute__((always_inline)) {
          low[b * kBlockVectors + v] = l.digits[v];
          high[b * kBlockVectors + v] = zero();
        });
      });
      add_products(own + (step - first) * kStepDigits, r, low, high);
      each<kStepBlocks>([&](auto b) __attribute__((always_inline)) {
        Block sum;
        each<kBlockVectors>([&](auto v) __attribute__((always_inline)) {
          sum.digits[v] = carried(low[b * kBlockVectors + v], high[b * kBlockVectors + v], carry);
        });
        write_block(x, step * kStepBlocks + b, sum, words);
      });
    }
    if (last == steps) break;
    for (std::size_t i = 0; i < before; i += kWidth)
      store(tile + i, load(tile + kFoldTileDigits + i));
  }
  for (std::size_t i = steps * kStepBlocks * kBlockWords; i < x.size(); ++i) x[i] = 0;
}

}  // namespace

}  // namespace fhe::cpu
