// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/digit_rows.hpp"

#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/streams/digit_steps.hpp"

namespace fhe::cpu {

void carry_digits(std::uint64_t* digits, std::size_t rows) {
  const Vec mask = all(kDigitMask);
  Vec carry = zero();
  for (std::size_t row = 0; row + 1 < rows; ++row) {
    const Vec digit = add(load(digits + row * kLanes), carry);
    carry = shift_right<kDigitBits>(digit);
    store(digits + row * kLanes, bit_and(digit, mask));
  }
  std::uint64_t* last = digits + (rows - 1) * kLanes;
  store(last, add(load(last), carry));
}

void carry_signed_digits(std::uint64_t* digits, std::size_t rows) {
  const Vec mask = all(kDigitMask);
  Vec carry = zero();
  for (std::size_t row = 0; row + 1 < rows; ++row) {
    const Vec digit = add(load(digits + row * kLanes), carry);
    carry = shift_right_signed<kDigitBits>(digit);
    store(digits + row * kLanes, bit_and(digit, mask));
  }
  std::uint64_t* last = digits + (rows - 1) * kLanes;
  store(last, add(load(last), carry));
}

void words_from_digits(const std::uint64_t* digits, std::uint64_t* words, std::size_t word_rows) {
  for (std::size_t row = 0; row < word_rows; ++row) {
    const std::size_t bit = row * 64;
    const std::uint64_t* first = digits + bit / kDigitBits * kLanes;
    const auto shift = static_cast<unsigned>(bit % kDigitBits);
    const Vec low = shift_right(load(first), shift);
    const Vec middle = shift_left(load(first + kLanes), kDigitBits - shift);
    const Vec high = shift_left(load(first + 2 * kLanes), 2 * kDigitBits - shift);
    store(words + row * kLanes, bit_or(low, bit_or(middle, high)));
  }
}

}  // namespace fhe::cpu
