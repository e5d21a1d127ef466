// SPDX-License-Identifier: Apache-2.0
// Digits of 28 bits and sums of their products by products of 32-bit halves, and the sums of
// windows, for source files with vector flags that include avx2.hpp or avx512.hpp before (see
// simd/portable.hpp).
//
// Bounds. A product of two digits is below 2^56, and each digit of a sum of products of n digits
// gets at most n of them for a term. After normalisation a digit is below 2^28 (the last ones take
// nothing but carries), and what is carried into it is below 2^37. So n * terms <= 255 terms may
// follow: 255 * 2^56 + 2^28 + 2^37 < 2^64.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/each.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kRowDigitBits = 28;

// 7 blocks are 14 words and exactly 32 digits: the step of passes over digits.
constexpr std::size_t kStepBlocks = 7;

// Terms that may be added to sums of products of n digits between two carries.
constexpr std::size_t terms_between_carries(std::size_t n) {
  return 255 / n;
}

// What products take of a digit that exceeds its bits.
[[gnu::always_inline]] inline Vec cut_digit(Vec digit) {
  return bit_and(digit, all((std::uint64_t{1} << kRowDigitBits) - 1));
}

// low + 2^64 high, shifted right; the low 64 bits of it.
template <int kBits>
[[gnu::always_inline]] inline Vec shift_right_pair(Vec low, Vec high) {
  return bit_or(shift_right<kBits>(low), shift_left<64 - kBits>(high));
}

// sum + x y for digits x and y, the same in all lanes.
[[gnu::always_inline]] inline Vec add_digit_product(Vec sum, Vec x, Vec y) {
  verify("streams: a digit is below 2^28", [&] { return all_less(x, all(1U << kRowDigitBits)); });
  const Vec product = multiply_halves(x, y);
  const Vec result = add(sum, product);
  verify("streams: a sum of products is below 2^64",
         [&] { return lanes_of(less(result, product)) == 0; });
  return result;
}

// sum += the sum of x_i y_i, where x_i has n digits, every kStep-th vector from x + i n kStep on,
// and y_i has n digits, the same in all lanes, at y + i n. Every kStep-th vector at `sum` is a
// digit. The words `ahead` of y_i are fetched meanwhile. The digits of both factors stay in
// registers, for up to seven of them, and those of the sum come one after the other.
template <std::size_t n, std::size_t kStep>
[[gnu::always_inline]] inline void add_digit_products(Vec* sum, const Vec* x,
                                                      const std::uint64_t* y, std::size_t terms,
                                                      std::size_t ahead) {
  for (std::size_t term = 0; term < terms; ++term, x += n * kStep, y += n) {
    prefetch(y + ahead);
    Vec left[n];
    Vec right[n];
    each<n>([&](auto j) __attribute__((always_inline)) {
      left[j] = x[j * kStep];
      right[j] = all(y[j]);
    });
    each<2 * n - 1>([&](auto d) __attribute__((always_inline)) {
      Vec digit = sum[d * kStep];
      each<n>([&](auto j) __attribute__((always_inline)) {
        if constexpr (j <= d && d - j < n) digit = add_digit_product(digit, left[j], right[d - j]);
      });
      sum[d * kStep] = digit;
    });
  }
}

// An entry of a sparse weight adds one product to a digit: after carries, 255 may follow.
constexpr std::size_t kEntriesBetweenCarries = 255;

// Adds x * value to kCount digits of a sum, for the digits at x, every kStep-th vector.
template <std::size_t kCount, std::size_t kStep>
[[gnu::always_inline]] inline void add_digit_multiple(Vec* sum, const Vec* x, Vec value) {
  each<kCount>([&](auto d) __attribute__((always_inline)) {
    sum[d] = add_digit_product(sum[d], x[d * kStep], value);
  });
}

// Sums of WindowKernel by products of 32-bit halves.

constexpr std::size_t kWindowDigitBits = 32;
constexpr std::size_t kEstimateBits = 64;
constexpr std::size_t kWindowBlocks = 8;

// y_k c_{N-1-k}, y_k c_{N-2-k} and high(y_k c_{N-3-k}), summed.
struct WindowSums {
  Vec leading;
  Vec middle;
  Vec low;
};

[[gnu::always_inline]] inline WindowSums no_sums() {
  return {zero(), zero(), zero()};
}

// In the lower half of each lane.
template <std::size_t kDigit>
[[gnu::always_inline]] inline Vec window_digit(const Vec* words) {
  const Vec word = words[kDigit / 2];
  return kDigit % 2 == 0 ? word : shift_right<32>(word);
}

// Adds the terms of y_k; `c` starts at c_{N-1-k}.
template <std::size_t k>
[[gnu::always_inline]] inline void add_window_digit(WindowSums& sums, Vec y,
                                                    const std::uint64_t* c) {
  sums.leading = add(sums.leading, multiply_halves(y, all(c[0])));
  sums.middle = add(sums.middle, multiply_halves(y, all(c[1])));
  sums.low = add(sums.low, shift_right<32>(multiply_halves(y, all(c[2]))));
}

[[gnu::always_inline]] inline Vec total_of(const WindowSums& sums) {
  return add(shift_left<32>(sums.leading), add(sums.middle, sums.low));
}

}  // namespace

}  // namespace fhe::cpu
