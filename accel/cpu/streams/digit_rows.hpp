// SPDX-License-Identifier: Apache-2.0
// Numbers in eight lanes as rows of digits, least significant first: out of 64-bit words, carries,
// and the way back. For source files with vector flags (see simd/portable.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/streams/row_parts.hpp"

namespace fhe::cpu {

namespace {

constexpr std::uint64_t kRowDigitMask = (std::uint64_t{1} << kRowDigitBits) - 1;

constexpr std::size_t kStepWords = 2 * kStepBlocks;
constexpr std::size_t kStepDigits = 32;
static_assert(kStepWords * 64 == kStepDigits * kRowDigitBits);

// Bits [bit, bit + kBits) of the number whose 64-bit words, of one part, are at `words`; what
// stands above them in a lane is undefined. Reads one word, or two where the bits straddle.
template <std::size_t kBit, std::size_t kBits>
[[gnu::always_inline]] inline Vec bits_at(const Vec* words) {
  constexpr std::size_t kWord = kBit / 64;
  constexpr std::size_t kShift = kBit % 64;
  if constexpr (kShift == 0) {
    return words[kWord];
  } else if constexpr (kShift + kBits <= 64) {
    return shift_right<kShift>(words[kWord]);
  } else {
    return shift_right_pair<kShift>(words[kWord], words[kWord + 1]);
  }
}

// The digit from bit `bit` on, as products take it.
template <std::size_t kBit>
[[gnu::always_inline]] inline Vec digit_at(const Vec* words) {
  return cut_digit(bits_at<kBit, kRowDigitBits>(words));
}

// Moves what exceeds the bits of each of the first `rows` - 1 digits into the next one. Afterwards
// those digits are in [0, 2^kRowDigitBits) and the last row holds the rest. `move(digit)` gives
// what a digit carries.
template <class Move>
[[gnu::always_inline]] inline void carry_rows(std::uint64_t* digits, std::size_t rows,
                                              const Move& move) {
  const Vec mask = all(kRowDigitMask);
  for (std::size_t part = 0; part < kLanes; part += kWidth) {
    Vec carry = zero();
    for (std::size_t row = 0; row + 1 < rows; ++row) {
      std::uint64_t* const at = digits + row * kLanes + part;
      const Vec digit = add(load(at), carry);
      carry = move(digit);
      store(at, bit_and(digit, mask));
    }
    std::uint64_t* const last = digits + (rows - 1) * kLanes + part;
    store(last, add(load(last), carry));
  }
}

// The same for digits that are unsigned, and for those that are signed numbers.
void carry_digits(std::uint64_t* digits, std::size_t rows) {
  carry_rows(
      digits, rows,
      [](Vec digit) __attribute__((always_inline)) { return shift_right<kRowDigitBits>(digit); });
}
void carry_signed_digits(std::uint64_t* digits, std::size_t rows) {
  carry_rows(
      digits, rows, [](Vec digit) __attribute__((always_inline)) {
        return shift_right_signed<kRowDigitBits>(digit);
      });
}

// Digits beyond the last that words_from_digits needs: a word is cut from so many digits and one.
constexpr std::size_t kDigitsAbove = (kRowDigitBits - 1 + 63) / kRowDigitBits;

// The first `word_rows` words of the number. Requires digits in [0, 2^kRowDigitBits) and enough of
// them: digit_rows * kRowDigitBits >= word_rows * 64 + kDigitsAbove * kRowDigitBits.
void words_from_digits(const std::uint64_t* digits, std::uint64_t* words, std::size_t word_rows) {
  for (std::size_t row = 0; row < word_rows; ++row) {
    const std::size_t bit = row * 64;
    const auto shift = static_cast<unsigned>(bit % kRowDigitBits);
    for (std::size_t part = 0; part < kLanes; part += kWidth) {
      const std::uint64_t* const first = digits + bit / kRowDigitBits * kLanes + part;
      Vec word = shift_right(load(first), shift);
      for (std::size_t above = 1; above <= kDigitsAbove; ++above) {
        const auto place = static_cast<unsigned>(above * kRowDigitBits - shift);
        word = bit_or(word, shift_left(load(first + above * kLanes), place));
      }
      store(words + row * kLanes + part, word);
    }
  }
}

}  // namespace

}  // namespace fhe::cpu
