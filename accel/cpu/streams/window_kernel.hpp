// SPDX-License-Identifier: Apache-2.0
// Leading digits of products modulo a power of two, for eight elements of a key stream at once.
//
// With y and c in digits of 52 bits and N digits in the modulus, digit N-1 of c * y is, but for
// carries from below,
//   sum_{k<N} low(y_k c_{N-1-k}) + sum_{k<N-1} high(y_k c_{N-2-k})   mod 2^52.
// Accumulators are 64 bits wide and wrap, which does not matter modulo 2^52.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "accel/cpu/streams/aes_lanes.hpp"

namespace fhe::cpu {

// The elements are generated in steps of 13 blocks, which are 26 words or 32 digits.
inline constexpr std::size_t kWindowStepBlocks = 13;
inline constexpr std::size_t kWindowStepWords = 26;
inline constexpr std::size_t kWindowStepDigits = 32;

// The most numbers c of a call.
inline constexpr std::size_t kMostNumbers = 8;

// Adds to estimates[8 k + lane] the terms of `steps` >= 1 steps of the sum above for the k-th
// number and each of the eight elements that start at `start`; only the low 52 bits of an estimate
// mean anything. Each of `reversed` holds 32 * steps + 1 digits, from those that belong to the
// first step on: c_{N-1}, c_{N-2}, ..., c_0 and zeros. `last_mask` holds 26 rows, what the last of
// the steps is masked with, or is null.
void add_window_estimates(const AesKey& key, const LaneStart& start, std::size_t steps,
                          std::span<const std::uint64_t* const> reversed,
                          const std::uint64_t* last_mask, std::uint64_t* estimates);

}  // namespace fhe::cpu
