// SPDX-License-Identifier: Apache-2.0
// Digits of 52 bits out of rows of 64-bit words, for source files with vector flags (see
// simd/portable.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/simd/digit.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/streams/aes_lanes.hpp"

namespace fhe::cpu {

namespace {

static_assert(kWidth == kLanes, "a row is a vector");

// Bits [bit, bit + 52) of the number whose 64-bit words are the rows at `words`; what stands above
// them in a lane is undefined, as IFMA ignores it. Reads one row, or two where the bits straddle.
template <std::size_t kBit>
[[gnu::always_inline]] inline Vec digit_at(const Vec* words) {
  constexpr std::size_t kWord = kBit / 64;
  constexpr std::size_t kShift = kBit % 64;
  if constexpr (kShift == 0) {
    return words[kWord];
  } else if constexpr (kShift + kDigitBits <= 64) {
    return shift_right<kShift>(words[kWord]);
  } else {
    return shift_right_pair<kShift>(words[kWord], words[kWord + 1]);
  }
}

// 13 blocks are 26 words and exactly 32 digits: the step of passes over digits.
constexpr std::size_t kStepBlocks = 13;
constexpr std::size_t kStepWords = 2 * kStepBlocks;
constexpr std::size_t kStepDigits = 32;
static_assert(kStepWords * 64 == kStepDigits * kDigitBits);

}  // namespace

}  // namespace fhe::cpu
