// SPDX-License-Identifier: Apache-2.0
// Sums of WindowKernel by IFMA, for source files with vector flags (see simd/portable.hpp).
#pragma once

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/streams/digit_rows.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kWindowDigitBits = kDigitBits;
constexpr std::size_t kEstimateBits = kDigitBits;
constexpr std::size_t kWindowBlocks = kStepBlocks;

// So many sums of each kind that the latency of one addition is hidden behind the others.
constexpr std::size_t kWindowSums = 4;

// low(y_k c_{N-1-k}) and high(y_k c_{N-2-k}), summed.
struct WindowSums {
  Vec low[kWindowSums];
  Vec high[kWindowSums];
};

[[gnu::always_inline]] inline WindowSums no_sums() {
  WindowSums sums;
  each<kWindowSums>([&](auto s) __attribute__((always_inline)) {
    sums.low[s] = zero();
    sums.high[s] = zero();
  });
  return sums;
}

template <std::size_t kDigit>
[[gnu::always_inline]] inline Vec window_digit(const Vec* words) {
  return digit_at<kDigit * kWindowDigitBits>(words);
}

// Adds the terms of y_k; `c` starts at c_{N-1-k}.
template <std::size_t k>
[[gnu::always_inline]] inline void add_window_digit(WindowSums& sums, Vec y,
                                                    const std::uint64_t* c) {
  constexpr std::size_t s = k % kWindowSums;
  sums.low[s] = add_low(sums.low[s], y, all(c[0]));
  sums.high[s] = add_high(sums.high[s], y, all(c[1]));
}

[[gnu::always_inline]] inline Vec total_of(const WindowSums& sums) {
  Vec total = zero();
  each<kWindowSums>([&](auto s) __attribute__((always_inline)) {
    total = add(total, add(sums.low[s], sums.high[s]));
  });
  return total;
}

}  // namespace

}  // namespace fhe::cpu
