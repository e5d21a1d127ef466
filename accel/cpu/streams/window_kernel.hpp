// SPDX-License-Identifier: Apache-2.0
// Leading bits of products modulo a power of two, for eight elements of a key stream at once.
//
// With y and c in N digits of b bits, B = 2^b, digit N-1 of c * y is, but for carries from below,
//   sum_{k<N} low(y_k c_{N-1-k}) + sum_{k<N-1} high(y_k c_{N-2-k})   mod B,
// where low and high are the digits of a product. An estimate by IFMA is this, with b = 52. Without
// IFMA b is 32, and an estimate are two digits:
//   B sum_{k<N} y_k c_{N-1-k} + sum_{k<N-1} y_k c_{N-2-k} + sum_{k<N-2} high(y_k c_{N-3-k})
// modulo B^2. Accumulators are 64 bits wide and wrap, which does not matter modulo 2^52 and 2^64.
//
// Either falls short of the true leading bits by at most 2N: what products further down carry into
// the lowest digit of the estimate is below N (B - 1)^2 (1/B^2 + 1/B^3 + ...) < N, and the sum of
// the lower halves of the products that come just before, of which there are at most N, carries
// less than N.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "accel/cpu/streams/aes_lanes.hpp"

namespace fhe::cpu {

// Elements are generated in steps of so many digits.
inline constexpr std::size_t kWindowStepDigits = 32;

// Digits of c that an estimate needs beyond those of its steps.
inline constexpr std::size_t kWindowDigitsAhead = 2;

// The most numbers c of a call.
inline constexpr std::size_t kMostNumbers = 8;

struct WindowKernel {
  std::size_t digit_bits;     // b
  std::size_t estimate_bits;  // b or 2 b
  std::size_t step_blocks;    // kWindowStepDigits digits as blocks of the generator

  // Adds to estimates[8 k + lane] the terms of `steps` >= 1 steps of the sums above for the k-th
  // number and each of the eight elements that start at `start`; only the low estimate_bits of an
  // estimate mean anything. Each of `reversed` holds 32 * steps + kWindowDigitsAhead digits, from
  // those that belong to the first step on: c_{N-1}, c_{N-2}, ..., c_0 and zeros. `last_mask` holds
  // 2 * step_blocks rows, what the last of the steps is masked with, or is null.
  void (*add_estimates)(const AesKey& key, const LaneStart& start, std::size_t steps,
                        std::span<const std::uint64_t* const> reversed,
                        const std::uint64_t* last_mask, std::uint64_t* estimates);
};

}  // namespace fhe::cpu
