// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/schoolbook/fold_kernel.hpp"

#include "accel/cpu/simd/digit.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/simd/ripple.hpp"

namespace fhe::cpu {

namespace {

// A block is 16 digits, which are 13 words: what is read and written at a time.
constexpr std::size_t kBlockDigits = 16;
constexpr std::size_t kBlockWords = 13;
static_assert(kBlockDigits == 2 * kWidth && kBlockDigits * kDigitBits == kBlockWords * 64);

// Words that are read for a block which starts at any bit of the first of them.
constexpr std::size_t kReadWords = 6 + kWidth;

// Blocks whose columns are summed together: so many sums that the latency of one addition is hidden
// behind the others.
constexpr std::size_t kStepBlocks = 2;
constexpr std::size_t kStepDigits = kStepBlocks * kBlockDigits;
constexpr std::size_t kStepVectors = kStepDigits / kWidth;

// Steps for which h is parted into digits at a time.
constexpr std::size_t kTileSteps = kFoldTileDigits / kStepDigits;
static_assert(kTileSteps * kStepDigits == kFoldTileDigits);

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

// Two vectors of digits.
struct Block {
  Vec low;
  Vec high;
};

// How the words of a block are cut that starts at bit `shift` < 64 of the first of them: digits 0
// to 7 are in words 0 to 7, digits 8 to 15 in words 6 to 13.
struct BlockCut {
  Cut low;
  Cut high;
};

[[gnu::always_inline]] inline BlockCut block_cut(std::size_t shift) {
  return {cut(shift, kDigitBits, 64), cut(shift + kWidth * kDigitBits - 6 * 64, kDigitBits, 64)};
}

// The block that starts in word `at` of x, beyond whose end there are zeros.
[[gnu::always_inline]] inline Block block_at(std::span<const std::uint64_t> x, std::size_t at,
                                             const BlockCut& cut) {
  const std::uint64_t* words = x.data() + at;
  std::uint64_t copy[kReadWords];
  if (at + kReadWords > x.size()) {
    for (std::size_t i = 0; i < kReadWords; ++i) copy[i] = at + i < x.size() ? x[at + i] : 0;
    words = copy;
  }
  return {digits_of(load_unaligned(words), cut.low),
          digits_of(load_unaligned(words + 6), cut.high)};
}

// The digits of block `index` of l: of x below bit n.
[[gnu::always_inline]] inline Block low_block(std::span<const std::uint64_t> x, std::size_t n,
                                              std::size_t index, const BlockCut& cut) {
  const std::size_t first = index * kBlockDigits * kDigitBits;
  if (first >= n) return {zero(), zero()};
  const Block block = block_at(x, index * kBlockWords, cut);
  Vec masks[2] = {all(kDigitMask), all(kDigitMask)};
  if (n < first + kBlockDigits * kDigitBits) {
    alignas(64) std::uint64_t kept[kBlockDigits];
    for (std::size_t d = 0; d < kBlockDigits; ++d) {
      const std::size_t bit = first + d * kDigitBits;
      const std::size_t bits = bit >= n ? 0 : n - bit;
      kept[d] = bits >= kDigitBits ? kDigitMask : (std::uint64_t{1} << bits) - 1;
    }
    masks[0] = load(kept);
    masks[1] = load(kept + kWidth);
  }
  return {bit_and(block.low, masks[0]), bit_and(block.high, masks[1])};
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
  const Mask ones = ripple(less(mask, digit), equal(digit, mask), carry.ripple);
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
                                               Vec digits, Vec more_digits, const Cut& low,
                                               const Cut& high) {
  constexpr Mask kLast = (1U << (kBlockWords - kWidth)) - 1;
  const Vec words = words_of(digits, more_digits, low);
  const Vec more_words = words_of(digits, more_digits, high);
  const std::size_t at = index * kBlockWords;
  if (at + kBlockWords <= x.size()) {
    store_unaligned(x.data() + at, words);
    store_where(kLast, x.data() + at + kWidth, more_words);
    return;
  }
  alignas(64) std::uint64_t copy[2 * kWidth];
  store(copy, words);
  store(copy + kWidth, more_words);
  for (std::size_t i = at; i < x.size(); ++i) x[i] = copy[i - at];
}

// Steps whose columns hold l and h r, and what they carry.
[[gnu::always_inline]] inline std::size_t steps_of(std::size_t words, std::size_t n,
                                                   std::size_t r_digits) {
  const std::size_t product = (words * 64 - n) / kDigitBits + 1 + r_digits;
  const std::size_t low = n / kDigitBits + 1;
  return (product > low ? product : low) / kStepDigits + 1;
}

}  // namespace

// In place: the columns of a tile are written when the digits of h for it have been read, and h
// lies n bits above them; l is read block by block before it is overwritten.
void fold_digits(std::span<std::uint64_t> x, std::size_t n, std::span<const std::uint64_t> r,
                 std::uint64_t* tile) {
  const BlockCut high_cut = block_cut(n % 64);
  const BlockCut low_cut = block_cut(0);
  const Cut low_words = cut(0, 64, kDigitBits);
  const Cut high_words = cut(kWidth * 64, 64, kDigitBits);
  const std::size_t before = fold_digits_before(r.size());
  std::uint64_t* const own = tile + before;
  for (std::size_t i = 0; i < before; i += kWidth) store(tile + i, zero());
  Carry carry{zero(), zero(), 0};
  const std::size_t steps = steps_of(x.size(), n, r.size());
  for (std::size_t first = 0; first < steps; first += kTileSteps) {
    const std::size_t last = steps - first > kTileSteps ? first + kTileSteps : steps;
    for (std::size_t block = 0; block < (last - first) * kStepBlocks; ++block) {
      const std::size_t at = n / 64 + (first * kStepBlocks + block) * kBlockWords;
      const Block digits = at < x.size() ? block_at(x, at, high_cut) : Block{zero(), zero()};
      store(own + block * kBlockDigits, digits.low);
      store(own + block * kBlockDigits + kWidth, digits.high);
    }
    for (std::size_t step = first; step < last; ++step) {
      Vec low[kStepVectors];
      Vec high[kStepVectors];
      each<kStepBlocks>([&](auto b) __attribute__((always_inline)) {
        const Block l = low_block(x, n, step * kStepBlocks + b, low_cut);
        low[2 * b] = l.low;
        low[2 * b + 1] = l.high;
        high[2 * b] = zero();
        high[2 * b + 1] = zero();
      });
      add_products(own + (step - first) * kStepDigits, r, low, high);
      each<kStepVectors>([&](auto v) __attribute__((always_inline)) {
        low[v] = carried(low[v], high[v], carry);
      });
      each<kStepBlocks>([&](auto b) __attribute__((always_inline)) {
        write_block(x, step * kStepBlocks + b, low[2 * b], low[2 * b + 1], low_words, high_words);
      });
    }
    if (last == steps) break;
    for (std::size_t i = 0; i < before; i += kWidth)
      store(tile + i, load(tile + kFoldTileDigits + i));
  }
  for (std::size_t i = steps * kStepBlocks * kBlockWords; i < x.size(); ++i) x[i] = 0;
}

}  // namespace fhe::cpu
