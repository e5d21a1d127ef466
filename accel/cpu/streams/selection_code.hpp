// SPDX-License-Identifier: Apache-2.0
// The kernels of SelectionKernel and ViewKernel, for source files with vector flags (see
// simd/portable.hpp).
#pragma once

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ripple.hpp"
#include "accel/cpu/streams/aes_code.hpp"
#include "accel/cpu/streams/digit_rows.hpp"
#include "accel/cpu/streams/kernels.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kSelectionBits = 48;  // of a digit
constexpr std::uint64_t kSelectionMask = (std::uint64_t{1} << kSelectionBits) - 1;
constexpr std::size_t kSelectionStates = 2 * kSelectionBlocks;
static_assert(kSelectionBlocks * 128 == kSelectionDigits * kSelectionBits);

// The counter blocks of element 0 of one part with the first round key added; for another element
// the difference of the high words is added.
struct FirstStates {
  Vec states[kSelectionStates];
};

[[gnu::always_inline]] inline FirstStates first_states(const LaneStart& start,
                                                       const RoundKeys& keys, std::size_t part) {
  const Vec one = alternate(zero(), all(1));
  Counters counters = start_counters({0, 0, start.block, start.block_step}, part);
  FirstStates result;
  each<kSelectionBlocks>([&](auto b) __attribute__((always_inline)) {
    result.states[2 * b] = bit_xor(swap_bytes(counters.even), keys.first);
    result.states[2 * b + 1] = bit_xor(swap_bytes(counters.odd), keys.first);
    counters.even = add(counters.even, one);
    counters.odd = add(counters.odd, one);
  });
  return result;
}

// The words of one part of an element, all of its blocks under way together if there are registers
// for them.
[[gnu::always_inline]] inline void selection_part(const FirstStates& origin, const RoundKeys& keys,
                                                  Vec high, Vec (&words)[kSelectionWords]) {
  constexpr std::size_t kAtOnce =
      kStatesAtOnce < kSelectionStates / 2 ? kStatesAtOnce : kSelectionStates;
  static_assert(kSelectionStates % kAtOnce == 0);
  each<kSelectionStates / kAtOnce>([&](auto run) __attribute__((always_inline)) {
    AesState states[kAtOnce];
    each<kAtOnce>([&](auto i) __attribute__((always_inline)) {
      states[i] = to_state(bit_xor(origin.states[run * kAtOnce + i], high));
    });
    encrypt(states, keys);
    unpack_states<1>(states, words + run * kAtOnce);
  });
}

template <std::size_t kDigit>
[[gnu::always_inline]] inline Vec selection_digit(const Vec* words) {
  constexpr std::size_t kBit = kDigit * kSelectionBits;
  const Vec bits = bits_at<kBit, kSelectionBits>(words);
  return kBit % 64 + kSelectionBits == 64 ? bits : bit_and(bits, all(kSelectionMask));
}

[[gnu::always_inline]] inline void add_to_bucket(const Vec (&digits)[kSelectionDigits],
                                                 std::uint64_t* bucket) {
  each<kSelectionDigits>([&](auto d) __attribute__((always_inline)) {
    std::uint64_t* const row = bucket + d * kLanes;
    const Vec sum = add(load(row), digits[d]);
    verify("streams: a sum of selected digits is below 2^64",
           [&] { return lanes_of(less(sum, digits[d])) == 0; });
    store(row, sum);
  });
}

void add_to_buckets(const AesKey& key, const LaneStart& start, const BucketPlan& plan,
                    std::size_t first, std::size_t last, const std::uint64_t* mask,
                    std::uint64_t* buckets) {
  const RoundKeys keys = load_keys(key);
  FirstStates origin[kParts];
  for (std::size_t part = 0; part < kParts; ++part) origin[part] = first_states(start, keys, part);
  for (std::size_t element = first; element < last; ++element) {
    const std::uint32_t begin = plan.starts[element];
    const std::uint32_t end = plan.starts[element + 1];
    if (begin == end) continue;
    const Vec high = alternate(swap_bytes(all(start.high + element)), zero());
    for (std::size_t part = 0; part < kParts; ++part) {
      Vec words[kSelectionWords];
      selection_part(origin[part], keys, high, words);
      mask_rows(words, mask, part);
      Vec digits[kSelectionDigits];
      each<kSelectionDigits>([&](auto d) __attribute__((always_inline)) {
        digits[d] = selection_digit<d>(words);
      });
      for (std::uint32_t entry = begin; entry != end; ++entry) {
        const std::size_t bucket = std::size_t{plan.buckets[entry]} * kSelectionDigits * kLanes;
        add_to_bucket(digits, buckets + bucket + part * kWidth);
      }
    }
  }
}

void collect_buckets(const std::uint64_t* buckets, unsigned bits, unsigned bit,
                     std::uint64_t* sum) {
  for (std::size_t part = 0; part < kLanes; part += kWidth) {
    Vec digits[kSelectionDigits];
    each<kSelectionDigits>([&](auto d) __attribute__((always_inline)) { digits[d] = zero(); });
    for (std::size_t number = 1; number < std::size_t{1} << bits; ++number) {
      if ((number >> bit & 1) == 0) continue;
      const std::uint64_t* bucket = buckets + (number - 1) * (kSelectionDigits * kLanes) + part;
      each<kSelectionDigits>([&](auto d) __attribute__((always_inline)) {
        digits[d] = add(digits[d], load(bucket + d * kLanes));
      });
    }
    each<kSelectionDigits>([&](auto d) __attribute__((always_inline)) {
      store(sum + d * kLanes + part, digits[d]);
    });
  }
}

using SelectionRows = Vec[kSelectionDigits][kParts];

// Moves the carries of all digits and lanes up by one digit, without waiting for each other, and
// adds what leaves the last digits to `carried_out`. Returns whether any digit exceeds its bits
// afterwards.
[[gnu::always_inline]] inline bool carry_selection(SelectionRows& digits,
                                                   Vec (&carried_out)[kParts]) {
  Vec excess = zero();
  Vec below = zero();  // what leaves the part below
  each<kParts>([&](auto part) __attribute__((always_inline)) {
    const Vec out = shift_right<kSelectionBits>(digits[kSelectionDigits - 1][part]);
    carried_out[part] = add(carried_out[part], out);
    Vec carry = lanes_up<1>(out, below);
    below = out;
    each<kSelectionDigits>([&](auto digit) __attribute__((always_inline)) {
      Vec& row = digits[digit][part];
      const Vec next_carry = shift_right<kSelectionBits>(row);
      row = add(bit_and(row, all(kSelectionMask)), carry);
      excess = bit_or(excess, row);
      carry = next_carry;
    });
  });
  return lanes_of(less(all(kSelectionMask), excess)) != 0;
}

std::uint64_t selection_words(std::uint64_t* sum, std::uint64_t* words) {
  SelectionRows digits;
  Vec carried_out[kParts];
  each<kParts>([&](auto part) __attribute__((always_inline)) {
    carried_out[part] = zero();
    each<kSelectionDigits>([&](auto d) __attribute__((always_inline)) {
      digits[d][part] = load(sum + d * kLanes + part * kWidth);
    });
  });
  // After the first round digits exceed 48 bits about once in 2^32; when that happens next to
  // digits of ones, the rounds that follow pass it on.
  while (carry_selection(digits, carried_out)) {
  }
  each<kParts>([&](auto part) __attribute__((always_inline)) {
    each<kSelectionDigits / 4>([&](auto q) __attribute__((always_inline)) {
      const Vec low = digits[4 * q][part];
      const Vec second = digits[4 * q + 1][part];
      const Vec third = digits[4 * q + 2][part];
      std::uint64_t* const row = words + 3 * q * kLanes + part * kWidth;
      store(row, bit_or(low, shift_left<48>(second)));
      store(row + kLanes, bit_or(shift_right<16>(second), shift_left<32>(third)));
      store(row + 2 * kLanes,
            bit_or(shift_right<32>(third), shift_left<16>(digits[4 * q + 3][part])));
    });
  });
  alignas(64) std::uint64_t last[kWidth];
  store(last, carried_out[kParts - 1]);
  return last[kWidth - 1];
}

// ViewKernel: sums of integers in memory.

// The halves of five sums of so many vectors stay in registers.
constexpr std::size_t kTileVectors = kWidth / 4;
constexpr std::size_t kTileLimbs = kTileVectors * kWidth;
static_assert(kViewTileLimbs % kTileLimbs == 0);

// What one vector of a sum carries into the next.
struct Carry {
  Vec above;        // what exceeds each lane
  unsigned ripple;  // 0 or 1
};

// The lanes below `count`.
[[gnu::always_inline]] inline Mask lanes_below(std::size_t count) {
  return mask_of((1U << (count < kWidth ? count : kWidth)) - 1);
}

// The limbs of halves that were added up. Where a limb overflows by what comes from below, or is
// full and a 1 comes, a 1 goes up.
[[gnu::always_inline]] inline Vec carried(Vec low, Vec high, Carry& carry) {
  const Vec word = add(low, shift_left<32>(high));
  const Vec above = add_where(less(word, low), shift_right<32>(high), all(1));
  const Vec below = lanes_up<1>(above, carry.above);
  const Vec limb = add(word, below);
  carry.above = above;
  const Mask ones = ripple(less(limb, below), equal(limb, all(~std::uint64_t{0})), carry.ripple);
  return add_where(ones, limb, all(1));
}

// The halves of the sums of a tile.
struct Tile {
  Vec low[kViewSums][kTileVectors];
  Vec high[kViewSums][kTileVectors];
};

// Limbs [first, first + kTileLimbs) of an element, as far as it has them.
[[gnu::always_inline]] inline void load_limbs(const ViewElement& element, std::size_t first,
                                              Vec (&limbs)[kTileVectors]) {
  const std::uint64_t* words = element.words + first;
  if (first + kTileLimbs <= element.size) {
    each<kTileVectors>([&](auto v) __attribute__((always_inline)) {
      limbs[v] = load_unaligned(words + v * kWidth);
    });
    return;
  }
  const std::size_t left = first < element.size ? element.size - first : 0;
  each<kTileVectors>([&](auto v) __attribute__((always_inline)) {
    const std::size_t before = v * kWidth;
    limbs[v] = left > before ? load_where(lanes_below(left - before), words + before) : zero();
  });
}

[[gnu::always_inline]] inline Tile add_elements(const ViewElement* elements, std::size_t count,
                                                std::size_t first) {
  Tile tile;
  each<kViewSums>([&](auto j) __attribute__((always_inline)) {
    each<kTileVectors>([&](auto v) __attribute__((always_inline)) {
      tile.low[j][v] = zero();
      tile.high[j][v] = zero();
    });
  });
  const Vec low_half = all(0xffffffff);
  for (std::size_t i = 0; i < count; ++i) {
    Vec limbs[kTileVectors];
    load_limbs(elements[i], first, limbs);
    each<kTileVectors>([&](auto v) __attribute__((always_inline)) {
      const Vec low = bit_and(limbs[v], low_half);
      const Vec high = shift_right<32>(limbs[v]);
      each<kViewSums>([&](auto j) __attribute__((always_inline)) {
        const Mask mask = mask_of_bytes(elements[i].masks[j]);
        tile.low[j][v] = add_where(mask, tile.low[j][v], low);
        tile.high[j][v] = add_where(mask, tile.high[j][v], high);
      });
    });
  }
  return tile;
}

void add_view_elements(const ViewElement* elements, std::size_t element_count, std::size_t first,
                       std::size_t count, std::uint64_t* const* words, std::uint64_t* carries) {
  Carry carry[kViewSums];
  for (Carry& one : carry) one = {zero(), 0};
  for (std::size_t at = 0; at < count; at += kTileLimbs) {
    const Tile tile = add_elements(elements, element_count, first + at);
    for (std::size_t j = 0; j < kViewSums; ++j) {
      if (words[j] == nullptr) continue;
      for (std::size_t v = 0; v < kTileVectors; ++v) {
        const Vec limbs = carried(tile.low[j][v], tile.high[j][v], carry[j]);
        store_unaligned(words[j] + at + v * kWidth, limbs);
      }
    }
  }
  for (std::size_t j = 0; j < kViewSums; ++j) {
    alignas(64) std::uint64_t above[kWidth];
    store(above, carry[j].above);
    carries[j] = above[kWidth - 1] + carry[j].ripple;
  }
}

}  // namespace

}  // namespace fhe::cpu
