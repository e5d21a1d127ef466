// SPDX-License-Identifier: Apache-2.0
// Integers to digits and coefficients back to integers with AVX-512 (see kernel_table.hpp). Eight
// digits of b bits are b bytes, so vectors of digits begin at whole bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "accel/cpu/bounds.hpp"

namespace fhe::cpu::goldilocks {

namespace {

// Digit l of eight begins at bit l b: in the 16-bit word l b / 16, at its bit l b mod 16. Four such
// words hold it, as 15 + 28 <= 64.
void split_avx512(std::uint64_t* digits, const std::uint64_t* limbs, std::size_t count,
                  unsigned bits) {
  alignas(64) std::uint16_t words[32];
  alignas(64) std::uint64_t shifts[8];
  for (unsigned lane = 0; lane < 8; ++lane) {
    for (unsigned k = 0; k < 4; ++k) {
      words[4 * lane + k] = static_cast<std::uint16_t>(lane * bits / 16 + k);
    }
    shifts[lane] = lane * bits % 16;
  }
  const __m512i gather = _mm512_load_si512(words);
  const __m512i shift = _mm512_load_si512(shifts);
  const __m512i mask = _mm512_set1_epi64((1LL << bits) - 1);
  const auto* from = reinterpret_cast<const unsigned char*>(limbs);
  for (std::size_t i = 0; i < count; i += 8, from += bits) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const __m512i wide = _mm512_permutexvar_epi16(gather, _mm512_castsi256_si512(bytes));
    _mm512_store_si512(digits + i, _mm512_and_si512(_mm512_srlv_epi64(wide, shift), mask));
  }
}

// Where the digit pairs q_k = d_2k + 2^b d_(2k+1), at bits 2 b k of b bytes, go: at most three of
// them meet in one 64-bit word. Shifts of 64 and more give zero, as the instructions do.
struct PairPlaces {
  unsigned bits;
  static constexpr int kMeeting = 3;
  __m512i pair[kMeeting];  // lane of the even digit
  __m512i left[kMeeting];
  __m512i right[kMeeting];

  explicit PairPlaces(unsigned digit_bits) : bits(digit_bits) {
    for (int m = 0; m < kMeeting; ++m) {
      alignas(64) std::uint64_t lane[8] = {};
      alignas(64) std::uint64_t up[8];
      alignas(64) std::uint64_t down[8];
      for (unsigned word = 0; word < 8; ++word) {
        const unsigned k = 64 * word / (2 * bits) + static_cast<unsigned>(m);
        up[word] = down[word] = 64;
        if (k > 3) continue;
        lane[word] = 2 * k;
        const unsigned begin = 2 * bits * k;
        if (begin >= 64 * word) {
          up[word] = begin - 64 * word;
        } else {
          down[word] = 64 * word - begin;
        }
      }
      pair[m] = _mm512_load_si512(lane);
      left[m] = _mm512_load_si512(up);
      right[m] = _mm512_load_si512(down);
    }
  }

  [[gnu::always_inline]] __m512i pack(__m512i digits) const {
    const __m512i odd = _mm512_slli_epi64(_mm512_unpackhi_epi64(digits, digits), bits);
    const __m512i pairs = _mm512_or_si512(digits, odd);
    const __m512i a = _mm512_permutexvar_epi64(pair[0], pairs);
    const __m512i b = _mm512_permutexvar_epi64(pair[1], pairs);
    const __m512i c = _mm512_permutexvar_epi64(pair[2], pairs);
    const __m512i low =
        _mm512_or_si512(_mm512_srlv_epi64(a, right[0]), _mm512_sllv_epi64(a, left[0]));
    return _mm512_or_si512(
        low, _mm512_or_si512(_mm512_sllv_epi64(b, left[1]), _mm512_sllv_epi64(c, left[2])));
  }
};

// The parts and bounds of join_portable. The single carries of eight digits v are found by one
// addition: with g_i = (v_i >= 2^b) and p_i = (v_i = 2^b - 1) as bit masks, digit i receives a
// carry where the sum 2 g + carry + p differs from p, and its bit 8 is the carry out.
template <unsigned bits>
unsigned join_digits(std::uint64_t* limbs, const std::uint64_t* coefficients,
                     const std::uint64_t* previous, std::size_t count, unsigned carry) {
  const PairPlaces places(bits);
  const __m512i mask = _mm512_set1_epi64((1LL << bits) - 1);
  const __m512i one = _mm512_set1_epi64(1);
  const auto bytes_mask = static_cast<__mmask32>((std::uint64_t{1} << bits) - 1);
  auto* to = reinterpret_cast<unsigned char*>(limbs);

  __m512i x = _mm512_load_si512(previous);
  __m512i middle = _mm512_and_si512(_mm512_srli_epi64(x, bits), mask);
  __m512i top = _mm512_srli_epi64(x, 2 * bits);
  const __m512i last =  // of its lanes the last one is complete, and no other is used
      _mm512_add_epi64(_mm512_and_si512(x, mask),
                       _mm512_add_epi64(_mm512_alignr_epi64(middle, middle, 7),
                                        _mm512_alignr_epi64(top, top, 6)));
  __m512i high = _mm512_srli_epi64(last, bits);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; i += 8, to += bits) {
    x = _mm512_load_si512(coefficients + i);
    const __m512i next_middle = _mm512_and_si512(_mm512_srli_epi64(x, bits), mask);
    const __m512i next_top = _mm512_srli_epi64(x, 2 * bits);
    const __m512i sum = _mm512_add_epi64(
        _mm512_and_si512(x, mask), _mm512_add_epi64(_mm512_alignr_epi64(next_middle, middle, 7),
                                                    _mm512_alignr_epi64(next_top, top, 6)));
    middle = next_middle;
    top = next_top;
    const __m512i next_high = _mm512_srli_epi64(sum, bits);
    __m512i digits =
        _mm512_add_epi64(_mm512_and_si512(sum, mask), _mm512_alignr_epi64(next_high, high, 7));
    high = next_high;
    verify("digit before the last carry < 2^b + 2^5", [&] {
      return _mm512_cmpgt_epu64_mask(digits, _mm512_add_epi64(mask, _mm512_set1_epi64(32))) == 0;
    });
    const unsigned generate = _mm512_cmpgt_epu64_mask(digits, mask);
    const unsigned propagate = _mm512_cmpeq_epi64_mask(digits, mask);
    const unsigned carries = 2 * generate + carry + propagate;
    carry = carries >> 8;
    const auto receive = static_cast<__mmask8>(carries ^ propagate);
    digits = _mm512_and_si512(_mm512_mask_add_epi64(digits, receive, digits, one), mask);
    _mm256_mask_storeu_epi8(to, bytes_mask, _mm512_castsi512_si256(places.pack(digits)));
  }
  return carry;
}

unsigned join_avx512(std::uint64_t* limbs, const std::uint64_t* coefficients,
                     const std::uint64_t* previous, std::size_t count, unsigned bits,
                     unsigned carry) {
  switch (bits) {
    case 20:
      return join_digits<20>(limbs, coefficients, previous, count, carry);
    case 21:
      return join_digits<21>(limbs, coefficients, previous, count, carry);
    case 22:
      return join_digits<22>(limbs, coefficients, previous, count, carry);
    case 23:
      return join_digits<23>(limbs, coefficients, previous, count, carry);
    case 24:
      return join_digits<24>(limbs, coefficients, previous, count, carry);
    case 25:
      return join_digits<25>(limbs, coefficients, previous, count, carry);
    case 26:
      return join_digits<26>(limbs, coefficients, previous, count, carry);
    case 27:
      return join_digits<27>(limbs, coefficients, previous, count, carry);
    default:
      return join_digits<28>(limbs, coefficients, previous, count, carry);
  }
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
