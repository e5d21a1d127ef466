// SPDX-License-Identifier: Apache-2.0
// The table of the vector code that a source is compiled for: it includes the words and the AES
// rounds of its instruction set, the digits of its products, and then this. The kernels of
// SparseKernel and WindowKernel stand here, too.
#pragma once

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/streams/aes_code.hpp"
#include "accel/cpu/streams/digit_rows.hpp"
#include "accel/cpu/streams/karatsuba_code.hpp"
#include "accel/cpu/streams/kernels.hpp"
#include "accel/cpu/streams/selection_code.hpp"

namespace fhe::cpu {

namespace {

// SparseKernel.

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

// WindowKernel.

static_assert(kWindowBlocks * 128 == kWindowStepDigits * kWindowDigitBits);

using WindowWords = Vec[2 * kWindowBlocks];

[[gnu::always_inline]] inline void add_total(const WindowSums& sums, std::uint64_t* estimates) {
  store(estimates, add(load(estimates), total_of(sums)));
}

// One number: its sums stay in registers.
[[gnu::always_inline]] inline void add_one(const RoundKeys& keys, const LaneStart& start,
                                           std::size_t part, std::size_t steps,
                                           const std::uint64_t* reversed,
                                           const std::uint64_t* last_mask,
                                           std::uint64_t* estimates) {
  Counters counters = start_counters(start, part);
  WindowSums sums = no_sums();
  WindowWords words;
  for (std::size_t step = 0; step < steps; ++step) {
    next_rows<kWindowBlocks>(counters, keys, words);
    mask_rows(words, step + 1 == steps ? last_mask : nullptr, part);
    each<kWindowStepDigits>([&](auto k) __attribute__((always_inline)) {
      add_window_digit<k>(sums, window_digit<k>(words), reversed + k);
    });
    reversed += kWindowStepDigits;
  }
  add_total(sums, estimates + part * kWidth);
}

// Several numbers: the digits of a step go through the cache, to all of them.
[[gnu::always_inline]] inline void add_several(const RoundKeys& keys, const LaneStart& start,
                                               std::size_t part, std::size_t steps,
                                               std::span<const std::uint64_t* const> reversed,
                                               const std::uint64_t* last_mask,
                                               std::uint64_t* estimates) {
  Counters counters = start_counters(start, part);
  WindowSums sums[kMostNumbers];
  for (std::size_t number = 0; number < reversed.size(); ++number) sums[number] = no_sums();
  WindowWords words;
  alignas(64) std::uint64_t digits[kWindowStepDigits * kWidth];
  for (std::size_t step = 0; step < steps; ++step) {
    next_rows<kWindowBlocks>(counters, keys, words);
    mask_rows(words, step + 1 == steps ? last_mask : nullptr, part);
    each<kWindowStepDigits>([&](auto k) __attribute__((always_inline)) {
      store(digits + k * kWidth, window_digit<k>(words));
    });
    for (std::size_t number = 0; number < reversed.size(); ++number) {
      const std::uint64_t* c = reversed[number] + step * kWindowStepDigits;
      WindowSums now = sums[number];
      each<kWindowStepDigits>([&](auto k) __attribute__((always_inline)) {
        add_window_digit<k>(now, load(digits + k * kWidth), c + k);
      });
      sums[number] = now;
    }
  }
  for (std::size_t number = 0; number < reversed.size(); ++number) {
    add_total(sums[number], estimates + number * kLanes + part * kWidth);
  }
}

void add_window_estimates(const AesKey& key, const LaneStart& start, std::size_t steps,
                          std::span<const std::uint64_t* const> reversed,
                          const std::uint64_t* last_mask, std::uint64_t* estimates) {
  const RoundKeys keys = load_keys(key);
  for (std::size_t part = 0; part < kParts; ++part) {
    if (reversed.size() == 1) {
      add_one(keys, start, part, steps, reversed[0], last_mask, estimates);
    } else {
      add_several(keys, start, part, steps, reversed, last_mask, estimates);
    }
  }
}

constexpr StreamKernels stream_table(std::string_view instructions, Kernel kernel,
                                     std::span<const KaratsubaKernel> karatsuba) {
  return {.instructions = instructions,
          .kernel = kernel,
          .generator = {.expand_key = expand_key, .generate_lanes = generate_lanes},
          .karatsuba = karatsuba,
          .sparse = {.digit_bits = kRowDigitBits,
                     .step_blocks = kStepBlocks,
                     .digits_above = kDigitsAbove,
                     .entries_between_carries = kEntriesBetweenCarries,
                     .generate = sparse_digits,
                     .accumulate = sparse_accumulate,
                     .carry = carry_digits,
                     .words = words_from_digits},
          .selection = {.add_to_buckets = add_to_buckets,
                        .collect_buckets = collect_buckets,
                        .selection_words = selection_words},
          .windows = {.digit_bits = kWindowDigitBits,
                      .estimate_bits = kEstimateBits,
                      .step_blocks = kWindowBlocks,
                      .add_estimates = add_window_estimates},
          .views = {.add_elements = add_view_elements}};
}

}  // namespace

}  // namespace fhe::cpu
