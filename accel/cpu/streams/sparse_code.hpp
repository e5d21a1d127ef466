// SPDX-License-Identifier: Apache-2.0
// The kernel of sparse_kernel.hpp, for source files with vector flags (see simd/portable.hpp).
#pragma once

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/streams/aes_rounds.hpp"
#include "accel/cpu/streams/digit_rows.hpp"
#include "accel/cpu/streams/sparse_kernel.hpp"

namespace fhe::cpu {

namespace {

static_assert(kSparseStepDigits == kStepDigits);

// Digits of the sum that stay in registers: half of them are for other things.
constexpr std::size_t kWindow = 2 * kWidth;
static_assert(kSparseWindow % kWindow == 0);

// Adds the parts of some entries to the window that starts at digit `first` of the sums.
[[gnu::always_inline]] inline void add_to_window(const Vec* digits, std::size_t first,
                                                 const SparseEntry* begin, const SparseEntry* end,
                                                 Vec* sums) {
  Vec* const target = sums + first * kParts;
  Vec window[kWindow];
  each<kWindow>([&](auto d) __attribute__((always_inline)) { window[d] = target[d * kParts]; });
  for (const SparseEntry* entry = begin; entry != end; ++entry) {
    const auto offset =
        static_cast<std::ptrdiff_t>(first) - static_cast<std::ptrdiff_t>(entry->position);
    const Vec* const x = digits + offset * static_cast<std::ptrdiff_t>(kParts);
    add_digit_multiple<kWindow, kParts>(window, x, all(entry->value));
  }
  each<kWindow>([&](auto d) __attribute__((always_inline)) { target[d * kParts] = window[d]; });
}

void sparse_digits(const AesKey& key, const LaneStart& start, std::size_t steps,
                   const std::uint64_t* mask, std::uint64_t* digits) {
  const RoundKeys keys = load_keys(key);
  for (std::size_t part = 0; part < kParts; ++part) {
    Counters counters = start_counters(start, part);
    for (std::size_t step = 0; step < steps; ++step) {
      Vec words[kStepWords];
      next_rows<kStepBlocks>(counters, keys, words);
      mask_rows(words, mask == nullptr ? nullptr : mask + step * kStepWords * kLanes, part);
      std::uint64_t* const out = digits + step * kStepDigits * kLanes + part * kWidth;
      each<kStepDigits>([&](auto d) __attribute__((always_inline)) {
        store(out + d * kLanes, digit_at<d * kRowDigitBits>(words));
      });
    }
  }
}

void sparse_accumulate(const std::uint64_t* digits, std::size_t digit_count,
                       const SparseEntry* entries, std::size_t count, std::uint64_t* sums) {
  if (count == 0) return;
  const SparseEntry* const end = entries + count;
  const SparseEntry* begin = entries;  // the entries that meet the window
  const SparseEntry* meeting = entries;
  const std::size_t digits_of_sum = end[-1].position + digit_count + 1;
  for (std::size_t first = 0; first < digits_of_sum; first += kWindow) {
    while (meeting != end && meeting->position < first + kWindow) ++meeting;
    while (begin != meeting && begin->position + digit_count < first) ++begin;
    for (std::size_t part = 0; part < kParts; ++part) {
      add_to_window(reinterpret_cast<const Vec*>(digits) + part, first, begin, meeting,
                    reinterpret_cast<Vec*>(sums) + part);
    }
  }
}

}  // namespace

}  // namespace fhe::cpu
