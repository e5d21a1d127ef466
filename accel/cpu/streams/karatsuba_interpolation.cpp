// SPDX-License-Identifier: Apache-2.0
// The end of the Karatsuba sums: from the S_t of karatsuba.hpp to sum_i x_i * w_i.
//
// Level by level, the two halves and their sum give the middle coefficient:
//   (x_0 + x_1 z)(w_0 + w_1 z) = S_0 + (S_2 - S_0 - S_1) z + S_1 z^2,  z = 2^(b 2^l).
// Done for all levels on the digits alone (no carry is needed in between: 3^L combinations of
// digits below 2^52 stay below 2^57), this leaves one non-negative number for each t, which goes
// to bit b * sum_l (0, 2, 1)[digit l of t] * 2^l of the result.
#include <string.h>

#include "accel/cpu/streams/digit_rows.hpp"
#include "accel/cpu/streams/karatsuba.hpp"
#include "accel/cpu/streams/simd.hpp"

namespace fhe::cpu {

namespace {

void subtract_rows(Limb* rows, const Limb* a, const Limb* b, std::size_t count) {
  for (std::size_t row = 0; row < count * kRow; row += kRow) {
    const Vec ends = _mm512_add_epi64(load_row(a + row), load_row(b + row));
    store_row(rows + row, _mm512_sub_epi64(load_row(rows + row), ends));
  }
}

// sum += number * 2^bit, digit by digit without carries. Requires digits in [0, 2^52) and room
// for one digit more.
void add_shifted(Limb* sum, const Limb* number, std::size_t rows, std::size_t bit) {
  Limb* target = sum + bit / kDigitBits * kRow;
  const auto shift = static_cast<unsigned>(bit % kDigitBits);
  const Vec mask = all_lanes(kDigitMask);
  Vec high = _mm512_setzero_si512();
  for (std::size_t row = 0; row < rows * kRow; row += kRow) {
    const Vec digit = load_row(number + row);
    const Vec low = _mm512_and_si512(shift_up(digit, shift), mask);
    const Vec old = load_row(target + row);
    store_row(target + row, _mm512_add_epi64(old, _mm512_add_epi64(low, high)));
    high = shift_down(digit, kDigitBits - shift);
  }
  Limb* last = target + rows * kRow;
  store_row(last, _mm512_add_epi64(load_row(last), high));
}

std::size_t piece_of_result(std::size_t t, std::size_t levels) {
  constexpr std::size_t kPlaces[] = {0, 2, 1};
  std::size_t place = 0;
  for (std::size_t level = 0; level < levels; ++level, t /= 3) place += kPlaces[t % 3] << level;
  return place;
}

}  // namespace

void karatsuba_normalise(const KaratsubaKernel& kernel, std::uint64_t* sums) {
  const std::size_t rows = kernel.sum_rows / kernel.products;
  for (std::size_t t = 0; t < kernel.products; ++t) carry_digits(sums + t * rows * kRow, rows);
}

void karatsuba_interpolate(const KaratsubaKernel& kernel, std::uint64_t* sums,
                           std::uint64_t* words) {
  karatsuba_normalise(kernel, sums);
  const std::size_t rows = kernel.sum_rows / kernel.products;
  std::size_t step = 1;
  for (std::size_t level = 0; level < kernel.levels; ++level, step *= 3) {
    for (std::size_t t = 0; t < kernel.products; ++t) {
      if (t / step % 3 != 2) continue;
      subtract_rows(sums + t * rows * kRow, sums + (t - 2 * step) * rows * kRow,
                    sums + (t - step) * rows * kRow, rows);
    }
  }
  // The highest number starts at bit 2 * chunk_bits - 2 * piece_bits and has `rows` digits, then
  // one more after the shift; words_from_digits looks two further.
  constexpr std::size_t kMostRows = 192;
  alignas(64) Limb result[kMostRows * kRow];
  const std::size_t result_digits =
      2 * (kernel.chunk_bits - kernel.piece_bits) / kDigitBits + rows + 4;
  for (std::size_t row = 0; row < result_digits; ++row) {
    store_row(result + row * kRow, _mm512_setzero_si512());
  }
  for (std::size_t t = 0; t < kernel.products; ++t) {
    Limb* number = sums + t * rows * kRow;
    carry_signed_digits(number, rows);
    add_shifted(result, number, rows, piece_of_result(t, kernel.levels) * kernel.piece_bits);
  }
  carry_digits(result, result_digits);
  words_from_digits(result, words, kernel.result_rows);
  explicit_bzero(result, result_digits * kRow * sizeof(Limb));
}

}  // namespace fhe::cpu
