// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/digit_rows.hpp"

#include "accel/cpu/streams/simd.hpp"

namespace fhe::cpu {

void carry_digits(std::uint64_t* digits, std::size_t rows) {
  const Vec mask = all_lanes(kDigitMask);
  Vec carry = _mm512_setzero_si512();
  for (std::size_t row = 0; row + 1 < rows; ++row) {
    const Vec digit = _mm512_add_epi64(load_row(digits + row * kRow), carry);
    carry = _mm512_srli_epi64(digit, kDigitBits);
    store_row(digits + row * kRow, _mm512_and_si512(digit, mask));
  }
  Limb* last = digits + (rows - 1) * kRow;
  store_row(last, _mm512_add_epi64(load_row(last), carry));
}

void carry_signed_digits(std::uint64_t* digits, std::size_t rows) {
  const Vec mask = all_lanes(kDigitMask);
  Vec carry = _mm512_setzero_si512();
  for (std::size_t row = 0; row + 1 < rows; ++row) {
    const Vec digit = _mm512_add_epi64(load_row(digits + row * kRow), carry);
    carry = _mm512_srai_epi64(digit, kDigitBits);
    store_row(digits + row * kRow, _mm512_and_si512(digit, mask));
  }
  Limb* last = digits + (rows - 1) * kRow;
  store_row(last, _mm512_add_epi64(load_row(last), carry));
}

void words_from_digits(const std::uint64_t* digits, std::uint64_t* words, std::size_t word_rows) {
  for (std::size_t row = 0; row < word_rows; ++row) {
    const std::size_t bit = row * 64;
    const Limb* first = digits + bit / kDigitBits * kRow;
    const auto shift = static_cast<unsigned>(bit % kDigitBits);
    const Vec low = shift_down(load_row(first), shift);
    const Vec middle = shift_up(load_row(first + kRow), kDigitBits - shift);
    const Vec high = shift_up(load_row(first + 2 * kRow), 2 * kDigitBits - shift);
    store_row(words + row * kRow, _mm512_or_si512(low, _mm512_or_si512(middle, high)));
  }
}

}  // namespace fhe::cpu
