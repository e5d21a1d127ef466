// SPDX-License-Identifier: Apache-2.0
// The kernel of window_kernel.hpp, for source files with vector flags (see simd/portable.hpp).
#pragma once

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/streams/aes_rounds.hpp"
#include "accel/cpu/streams/window_kernel.hpp"

namespace fhe::cpu {

namespace {

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

}  // namespace

}  // namespace fhe::cpu
