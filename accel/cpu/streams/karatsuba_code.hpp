// SPDX-License-Identifier: Apache-2.0
// The kernels of KaratsubaKernel, for source files with vector flags (see simd/portable.hpp).
#pragma once

#include <string.h>  // NOLINT(modernize-deprecated-headers): of explicit_bzero

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/streams/aes_code.hpp"
#include "accel/cpu/streams/digit_rows.hpp"
#include "accel/cpu/streams/kernels.hpp"

namespace fhe::cpu {

namespace {

// The end of the Karatsuba sums: from the S_t to sum_i x_i * w_i.
//
// Level by level, the two halves and their sum give the middle coefficient:
//   (x_0 + x_1 z)(w_0 + w_1 z) = S_0 + (S_2 - S_0 - S_1) z + S_1 z^2,  z = 2^(b 2^l).
// Done for all levels on the digits alone (no carry is needed in between: 3^L combinations of
// digits below 2^52 stay below 2^59), this leaves one non-negative number for each t, which goes
// to bit b * sum_l (0, 2, 1)[digit l of t] * 2^l of the result.

void subtract_rows(std::uint64_t* rows, const std::uint64_t* a, const std::uint64_t* b,
                   std::size_t count) {
  for (std::size_t i = 0; i < count * kLanes; i += kWidth) {
    const Vec ends = add(load(a + i), load(b + i));
    store(rows + i, sub(load(rows + i), ends));
  }
}

// sum += number * 2^bit, digit by digit without carries. Requires digits in range and room for one
// digit more.
void add_shifted(std::uint64_t* sum, const std::uint64_t* number, std::size_t rows,
                 std::size_t bit) {
  const auto shift = static_cast<unsigned>(bit % kRowDigitBits);
  const Vec mask = all(kRowDigitMask);
  for (std::size_t part = 0; part < kLanes; part += kWidth) {
    std::uint64_t* const target = sum + bit / kRowDigitBits * kLanes + part;
    Vec high = zero();
    for (std::size_t row = 0; row < rows * kLanes; row += kLanes) {
      const Vec digit = load(number + part + row);
      const Vec low = bit_and(shift_left(digit, shift), mask);
      const Vec old = load(target + row);
      store(target + row, add(old, add(low, high)));
      high = shift_right(digit, static_cast<unsigned>(kRowDigitBits) - shift);
    }
    std::uint64_t* const last = target + rows * kLanes;
    store(last, add(load(last), high));
  }
}

std::size_t piece_of_result(std::size_t t, std::size_t levels) {
  constexpr std::size_t kPlaces[] = {0, 2, 1};
  std::size_t place = 0;
  for (std::size_t level = 0; level < levels; ++level, t /= 3) place += kPlaces[t % 3] << level;
  return place;
}

void karatsuba_normalise(const KaratsubaKernel& kernel, std::uint64_t* sums) {
  const std::size_t rows = kernel.sum_rows / kernel.products;
  for (std::size_t t = 0; t < kernel.products; ++t) carry_digits(sums + t * rows * kLanes, rows);
}

void karatsuba_interpolate(const KaratsubaKernel& kernel, std::uint64_t* sums,
                           std::uint64_t* words) {
  karatsuba_normalise(kernel, sums);
  const std::size_t rows = kernel.sum_rows / kernel.products;
  std::size_t step = 1;
  for (std::size_t level = 0; level < kernel.levels; ++level, step *= 3) {
    for (std::size_t t = 0; t < kernel.products; ++t) {
      if (t / step % 3 != 2) continue;
      subtract_rows(sums + t * rows * kLanes, sums + (t - 2 * step) * rows * kLanes,
                    sums + (t - step) * rows * kLanes, rows);
    }
  }
  // The highest number starts at bit 2 * chunk_bits - 2 * piece_bits and has `rows` digits, then
  // one more after the shift; words_from_digits looks kDigitsAbove further. A chunk has at most
  // 4096 bits, and a number as many digits as that and one for carries.
  constexpr std::size_t kMostRows = 3 * kMostChunkBits / kRowDigitBits;
  alignas(64) std::uint64_t result[kMostRows * kLanes];
  const std::size_t result_digits =
      2 * (kernel.chunk_bits - kernel.piece_bits) / kRowDigitBits + rows + 2 + kDigitsAbove;
  for (std::size_t i = 0; i < result_digits * kLanes; i += kWidth) store(result + i, zero());
  for (std::size_t t = 0; t < kernel.products; ++t) {
    std::uint64_t* number = sums + t * rows * kLanes;
    carry_signed_digits(number, rows);
    add_shifted(result, number, rows, piece_of_result(t, kernel.levels) * kernel.piece_bits);
  }
  carry_digits(result, result_digits);
  words_from_digits(result, words, kernel.result_rows);
  explicit_bzero(result, result_digits * kLanes * sizeof(std::uint64_t));
}

// The other kernels: evaluation, and products of pieces.

constexpr std::size_t power_of_three(std::size_t exponent) {
  return exponent == 0 ? 1 : 3 * power_of_three(exponent - 1);
}

template <std::size_t kLevelCount, std::size_t kPieceWidth>
struct Shape {
  static constexpr std::size_t kLevels = kLevelCount;
  static constexpr std::size_t kPieceBits = kPieceWidth;
  static constexpr std::size_t kDigits = (kPieceBits + kLevels + kRowDigitBits - 1) / kRowDigitBits;
  static constexpr std::size_t kPieces = 1 << kLevels;
  static constexpr std::size_t kProducts = power_of_three(kLevels);
  static constexpr std::size_t kChunkBits = kPieces * kPieceBits;
  static constexpr std::size_t kSumRows = 2 * kDigits + 1;  // of one S_t

  static constexpr std::size_t kMostTerms = terms_between_carries(kDigits);
  static constexpr std::size_t kTermsBetweenCarries = kMostTerms < 256 ? kMostTerms : 256;

  static_assert(kPieceBits > kRowDigitBits * (kDigits - 1));
  static_assert(kChunkBits % 128 == 0);

  // Piece p is E_t with the bits of p as ternary digits of t.
  static constexpr std::size_t place_of_piece(std::size_t piece) {
    std::size_t place = 0;
    for (std::size_t level = 0; level < kLevels; ++level) {
      place += (piece >> level & 1) * power_of_three(level);
    }
    return place;
  }

  static constexpr bool is_sum(std::size_t t) {
    for (; t > 0; t /= 3) {
      if (t % 3 == 2) return true;
    }
    return false;
  }
};

// Digit `kDigit` of piece `kPiece`, without what belongs to the next digit or piece.
template <class S, std::size_t kPiece, std::size_t kDigit>
[[gnu::always_inline]] inline Vec piece_digit(const Vec* words) {
  constexpr std::size_t kLeft = S::kPieceBits - kDigit * kRowDigitBits;
  constexpr std::size_t kBits = kLeft < kRowDigitBits ? kLeft : kRowDigitBits;
  constexpr std::size_t kBit = kPiece * S::kPieceBits + kDigit * kRowDigitBits;
  return bit_and(bits_at<kBit, kBits>(words), all((std::uint64_t{1} << kBits) - 1));
}

// From the pieces, in their places, to all E_t, without carries: level by level, from the halves of
// everything to their sums. What has binary digits from level l on starts at those places, and has
// 3^l values there.
template <class S>
[[gnu::always_inline]] inline void add_halves(Vec (&digits)[S::kProducts]) {
  each<S::kLevels>([&](auto kLevel) __attribute__((always_inline)) {
    constexpr std::size_t kHalf = power_of_three(kLevel);
    each<(S::kPieces >> kLevel) / 2>([&](auto pair) __attribute__((always_inline)) {
      Vec* const low = digits + S::place_of_piece(pair << (kLevel + 1));
      each<kHalf>([&](auto t) __attribute__((always_inline)) {
        low[2 * kHalf + t] = add(low[t], low[kHalf + t]);
      });
    });
  });
}

// Digit kDigit of all E_t. What exceeds the bits of a sum of up to 2^L digits is added to the next
// digit.
template <class S, std::size_t kDigit>
[[gnu::always_inline]] inline void evaluate_digit(const Vec* words, Vec* pieces) {
  Vec digits[S::kProducts];
  each<S::kPieces>([&](auto kPiece) __attribute__((always_inline)) {
    digits[S::place_of_piece(kPiece)] = piece_digit<S, kPiece, kDigit>(words);
  });
  add_halves<S>(digits);
  each<S::kProducts>([&](auto kT) __attribute__((always_inline)) {
    Vec* const piece = pieces + (kT * S::kDigits + kDigit) * kParts;
    if constexpr (S::is_sum(kT) && kDigit > 0) {
      const Vec below = *(piece - kParts);
      digits[kT] = add(digits[kT], shift_right<kRowDigitBits>(below));
      *(piece - kParts) = cut_digit(below);
    }
    *piece = digits[kT];
  });
}

// One part of a chunk: its words, and the vectors of its pieces.
template <class S>
[[gnu::noinline]] void evaluate_words(const Vec* words, Vec* pieces) {
  each<S::kDigits>([&](auto digit)
                       __attribute__((always_inline)) { evaluate_digit<S, digit>(words, pieces); });
}

template <class S>
void evaluate(const std::uint64_t* words, std::uint64_t* pieces) {
  Vec of_part[S::kChunkBits / 64];
  for (std::size_t part = 0; part < kParts; ++part) {
    for (std::size_t row = 0; row < S::kChunkBits / 64; ++row) {
      of_part[row] = load(words + row * kLanes + part * kWidth);
    }
    evaluate_words<S>(of_part, reinterpret_cast<Vec*>(pieces) + part);
  }
}

// One S_t. The weights that come `ahead` words later are fetched meanwhile: tables of weights are
// larger than the second-level cache, and with several sets of weights larger than the third.
template <class S>
[[gnu::always_inline]] inline void add_products(Vec* sum, const Vec* pieces,
                                                const std::uint64_t* weights, std::size_t terms,
                                                std::size_t ahead) {
  for (std::size_t part = 0; part < kParts; ++part) {
    add_digit_products<S::kDigits, kParts>(sum + part, pieces + part, weights, terms, ahead);
  }
}

template <class S>
void accumulate(std::uint64_t* sums, const std::uint64_t* pieces,
                const std::uint64_t* const* weights, std::size_t sets, std::size_t slots,
                std::size_t terms) {
  for (std::size_t t = 0; t < S::kProducts; ++t) {
    for (std::size_t set = 0; set < sets; ++set) {
      add_products<S>(
          reinterpret_cast<Vec*>(sums) + (set * S::kProducts + t) * S::kSumRows * kParts,
          reinterpret_cast<const Vec*>(pieces) + t * slots * S::kDigits * kParts,
          weights[set] + t * slots * S::kDigits, terms, slots * S::kDigits);
    }
  }
}

// The evaluated chunks of eight lanes.
template <class S>
[[gnu::noinline]] void make_pieces(const RoundKeys& keys, const LaneStart& start,
                                   const std::uint64_t* mask, std::uint64_t* pieces) {
  constexpr std::size_t kBlocks = S::kChunkBits / 128;
  for (std::size_t part = 0; part < kParts; ++part) {
    Vec words[2 * kBlocks];
    Counters counters = start_counters(start, part);
    next_rows<kBlocks>(counters, keys, words);
    mask_rows(words, mask, part);
    evaluate_words<S>(words, reinterpret_cast<Vec*>(pieces) + part);
  }
}

template <class S>
void generate(const AesKey& key, const LaneStart& start, const std::uint64_t* mask,
              std::uint64_t* pieces) {
  make_pieces<S>(load_keys(key), start, mask, pieces);
}

template <class S>
void add_terms(const AesKey& key, const ChunkWalk& walk, const std::uint64_t* weights,
               std::size_t terms, std::uint64_t* pieces, std::uint64_t* sums) {
  const RoundKeys keys = load_keys(key);
  LaneStart start = walk.start;
  for (std::size_t term = 0; term < terms; ++term) {
    make_pieces<S>(keys, start, walk.mask, pieces);
    const std::uint64_t* weight = weights + term * S::kProducts * S::kDigits;
    for (std::size_t t = 0; t < S::kProducts; ++t) {
      add_products<S>(reinterpret_cast<Vec*>(sums) + t * S::kSumRows * kParts,
                      reinterpret_cast<const Vec*>(pieces) + t * S::kDigits * kParts,
                      weight + t * S::kDigits, 1, S::kProducts * S::kDigits);
    }
    start.high += walk.high_advance;
    start.block += walk.block_advance;
  }
}

template <class S>
constexpr KaratsubaKernel kernel_of() {
  return {S::kLevels,
          S::kDigits,
          S::kPieceBits,
          S::kProducts,
          S::kChunkBits,
          S::kChunkBits / 64,
          S::kProducts * S::kDigits,
          S::kProducts * S::kSumRows,
          2 * S::kChunkBits / 64 + 1,
          S::kTermsBetweenCarries,
          evaluate<S>,
          generate<S>,
          accumulate<S>,
          add_terms<S>,
          karatsuba_normalise,
          karatsuba_interpolate};
}

}  // namespace

}  // namespace fhe::cpu
