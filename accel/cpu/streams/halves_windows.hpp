// SPDX-License-Identifier: Apache-2.0
// Sums of window_kernel.hpp by products of 32-bit halves, for source files with vector flags (see
// simd/portable.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fhe::cpu {

namespace {

constexpr std::size_t kWindowDigitBits = 32;
constexpr std::size_t kEstimateBits = 64;
constexpr std::size_t kWindowBlocks = 8;

// y_k c_{N-1-k}, y_k c_{N-2-k} and high(y_k c_{N-3-k}), summed.
struct WindowSums {
  Vec leading;
  Vec middle;
  Vec low;
};

[[gnu::always_inline]] inline WindowSums no_sums() {
  return {zero(), zero(), zero()};
}

// In the lower half of each lane.
template <std::size_t kDigit>
[[gnu::always_inline]] inline Vec window_digit(const Vec* words) {
  const Vec word = words[kDigit / 2];
  return kDigit % 2 == 0 ? word : shift_right<32>(word);
}

// Adds the terms of y_k; `c` starts at c_{N-1-k}.
template <std::size_t k>
[[gnu::always_inline]] inline void add_window_digit(WindowSums& sums, Vec y,
                                                    const std::uint64_t* c) {
  sums.leading = add(sums.leading, multiply_halves(y, all(c[0])));
  sums.middle = add(sums.middle, multiply_halves(y, all(c[1])));
  sums.low = add(sums.low, shift_right<32>(multiply_halves(y, all(c[2]))));
}

[[gnu::always_inline]] inline Vec total_of(const WindowSums& sums) {
  return add(shift_left<32>(sums.leading), add(sums.middle, sums.low));
}

}  // namespace

}  // namespace fhe::cpu
