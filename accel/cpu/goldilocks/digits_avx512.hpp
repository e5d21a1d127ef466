// SPDX-License-Identifier: Apache-2.0
// Integers to digits and coefficients back to integers with AVX-512 (see kernel_table.hpp). Eight
// digits of b bits are b bytes, so vectors of digits begin at whole bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/avx512.hpp"

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
  const Vec gather = _mm512_load_si512(words);
  const Vec shift = load(shifts);
  const Vec mask = all((std::uint64_t{1} << bits) - 1);
  const auto* from = reinterpret_cast<const unsigned char*>(limbs);
  for (std::size_t i = 0; i < count; i += 8, from += bits) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const Vec wide = _mm512_permutexvar_epi16(gather, _mm512_castsi256_si512(bytes));
    store(digits + i, bit_and(shift_right(wide, shift), mask));
  }
}

// Where the digit pairs q_k = d_2k + 2^b d_(2k+1), at bits 2 b k of b bytes, go: at most three of
// them meet in one 64-bit word. Shifts of 64 and more give zero, as the instructions do.
struct PairPlaces {
  static constexpr int kMeeting = 3;
  Vec pair[kMeeting];  // lane of the even digit
  Vec left[kMeeting];
  Vec right[kMeeting];

  explicit PairPlaces(unsigned bits) {
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
      pair[m] = load(lane);
      left[m] = load(up);
      right[m] = load(down);
    }
  }

  template <unsigned kBits>
  [[gnu::always_inline]] Vec pack(Vec digits) const {
    const Vec odd = shift_left<kBits>(odd_pairs(digits, digits));
    const Vec pairs = bit_or(digits, odd);
    const Vec a = permute(pairs, pair[0]);
    const Vec b = permute(pairs, pair[1]);
    const Vec c = permute(pairs, pair[2]);
    const Vec low = bit_or(shift_right(a, right[0]), shift_left(a, left[0]));
    return bit_or(low, bit_or(shift_left(b, left[1]), shift_left(c, left[2])));
  }
};

// The parts and bounds of join_portable. The single carries of eight digits v are found by one
// addition: with g_i = (v_i >= 2^b) and p_i = (v_i = 2^b - 1) as bit masks, digit i receives a
// carry where the sum 2 g + carry + p differs from p, and its bit 8 is the carry out.
template <unsigned kBits>
unsigned join_digits(std::uint64_t* limbs, const std::uint64_t* coefficients,
                     const std::uint64_t* previous, std::size_t count, unsigned carry) {
  const PairPlaces places(kBits);
  const Vec mask = all((std::uint64_t{1} << kBits) - 1);
  const Vec one = all(1);
  const auto bytes_mask = static_cast<__mmask32>((std::uint64_t{1} << kBits) - 1);
  auto* to = reinterpret_cast<unsigned char*>(limbs);

  Vec x = load(previous);
  Vec middle = bit_and(shift_right<kBits>(x), mask);
  Vec top = shift_right<2 * kBits>(x);
  const Vec last =  // of its lanes the last one is complete, and no other is used
      add(bit_and(x, mask), add(lanes_up<1>(middle, middle), lanes_up<2>(top, top)));
  Vec high = shift_right<kBits>(last);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; i += 8, to += kBits) {
    x = load(coefficients + i);
    const Vec next_middle = bit_and(shift_right<kBits>(x), mask);
    const Vec next_top = shift_right<2 * kBits>(x);
    const Vec sum =
        add(bit_and(x, mask), add(lanes_up<1>(next_middle, middle), lanes_up<2>(next_top, top)));
    middle = next_middle;
    top = next_top;
    const Vec next_high = shift_right<kBits>(sum);
    Vec digits = add(bit_and(sum, mask), lanes_up<1>(next_high, high));
    high = next_high;
    verify("digit before the last carry < 2^b + 2^5",
           [&] { return less(add(mask, all(32)), digits) == 0; });
    const unsigned generate = less(mask, digits);
    const unsigned propagate = equal(digits, mask);
    const unsigned carries = 2 * generate + carry + propagate;
    carry = carries >> 8;
    const auto receive = static_cast<Mask>(carries ^ propagate);
    digits = bit_and(add_where(receive, digits, one), mask);
    _mm256_mask_storeu_epi8(to, bytes_mask, _mm512_castsi512_si256(places.pack<kBits>(digits)));
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
