// SPDX-License-Identifier: Apache-2.0
// The kernel of selection_kernel.hpp, for source files with vector flags (see simd/portable.hpp).
#pragma once

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/streams/aes_rounds.hpp"
#include "accel/cpu/streams/digit_rows.hpp"
#include "accel/cpu/streams/selection_kernel.hpp"

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

}  // namespace

}  // namespace fhe::cpu
