// SPDX-License-Identifier: Apache-2.0
// Short names for the vector instructions of this folder. Only for source files with vector flags:
// everything has internal linkage, so that no function compiled for AVX-512 is ever shared with
// code that runs on other processors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <immintrin.h>

namespace fhe::cpu {

namespace {

using Limb = std::uint64_t;
using Vec = __m512i;  // eight lanes of 64 bits: one row

constexpr std::size_t kRow = 8;         // words in a row
constexpr std::size_t kDigitBits = 52;  // of a limb that IFMA multiplies
constexpr Limb kDigitMask = (Limb{1} << kDigitBits) - 1;

[[gnu::always_inline]] inline Vec load_row(const Limb* row) {
  return _mm512_load_si512(row);
}

[[gnu::always_inline]] inline void store_row(Limb* row, Vec x) {
  _mm512_store_si512(row, x);
}

[[gnu::always_inline]] inline Vec all_lanes(Limb x) {
  return _mm512_set1_epi64(static_cast<long long>(x));
}

[[gnu::always_inline]] inline Vec shift_up(Vec x, unsigned bits) {  // 0 for 64 bits and more
  return _mm512_sll_epi64(x, _mm_cvtsi64_si128(static_cast<long long>(bits)));
}

[[gnu::always_inline]] inline Vec shift_down(Vec x, unsigned bits) {
  return _mm512_srl_epi64(x, _mm_cvtsi64_si128(static_cast<long long>(bits)));
}

// sum + (x * y mod 2^52) and sum + (x * y / 2^52), of the low 52 bits of x and y.
[[gnu::always_inline]] inline Vec add_low(Vec sum, Vec x, Vec y) {
  return _mm512_madd52lo_epu64(sum, x, y);
}

[[gnu::always_inline]] inline Vec add_high(Vec sum, Vec x, Vec y) {
  return _mm512_madd52hi_epu64(sum, x, y);
}

// Loops whose every step is code of its own: arrays indexed by the counter stay in registers.
template <std::size_t I>
struct Index {
  static constexpr std::size_t value = I;
};

template <class Body, std::size_t... I>
[[gnu::always_inline]] inline void unroll_steps(std::index_sequence<I...> /*steps*/,
                                                const Body& body) {
  (body(Index<I>{}), ...);
}

// Calls body(Index<0>{}), ..., body(Index<N - 1>{}). The body is declared UNROLLED.
template <std::size_t N, class Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
  unroll_steps(std::make_index_sequence<N>{}, body);
}

#define UNROLLED __attribute__((always_inline))

// Bits [bit, bit + 52) of the number whose 64-bit words are the rows at `words`; what stands above
// them in a lane is undefined, as IFMA ignores it. Reads one row, or two where the bits straddle.
template <std::size_t kBit>
[[gnu::always_inline]] inline Vec digit_at(const Vec* words) {
  constexpr std::size_t kWord = kBit / 64;
  constexpr std::size_t kShift = kBit % 64;
  if constexpr (kShift == 0) {
    return words[kWord];
  } else if constexpr (kShift + kDigitBits <= 64) {
    return _mm512_srli_epi64(words[kWord], kShift);
  } else {
    return _mm512_shrdi_epi64(words[kWord], words[kWord + 1], kShift);
  }
}

// 13 blocks are 26 words and exactly 32 digits: the step of passes over digits.
constexpr std::size_t kStepBlocks = 13;
constexpr std::size_t kStepWords = 2 * kStepBlocks;
constexpr std::size_t kStepDigits = 32;
static_assert(kStepWords * 64 == kStepDigits * kDigitBits);

}  // namespace

}  // namespace fhe::cpu
