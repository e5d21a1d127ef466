// SPDX-License-Identifier: Apache-2.0
// The end of the Karatsuba sums: from the S_t of karatsuba.hpp to sum_i x_i * w_i.
//
// Level by level, the two halves and their sum give the middle coefficient:
//   (x_0 + x_1 z)(w_0 + w_1 z) = S_0 + (S_2 - S_0 - S_1) z + S_1 z^2,  z = 2^(b 2^l).
// Done for all levels on the digits alone (no carry is needed in between: 3^L combinations of
// digits below 2^52 stay below 2^59), this leaves one non-negative number for each t, which goes
// to bit b * sum_l (0, 2, 1)[digit l of t] * 2^l of the result.
//
// For source files with vector flags (see simd/portable.hpp).
#pragma once

#include <string.h>  // NOLINT(modernize-deprecated-headers): of explicit_bzero

#include "accel/cpu/streams/digit_rows.hpp"
#include "accel/cpu/streams/karatsuba.hpp"

namespace fhe::cpu {

namespace {

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

}  // namespace

}  // namespace fhe::cpu
