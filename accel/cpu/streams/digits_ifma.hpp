// SPDX-License-Identifier: Apache-2.0
// Digits of 52 bits and sums of their products by IFMA, which gives the halves of a product, for
// source files with vector flags that include ifma.hpp or avxifma.hpp before (see
// simd/portable.hpp).
//
// Bounds. A product adds at most 2n - 1 halves below 2^52 to each digit of a sum of products of n
// digits, which is 64 bits wide: after normalisation a digit is below 2^52, so
// (2n - 1) * terms + 1 <= 2^12 terms may follow before the next one. The last digit takes one half
// of a product at most.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/simd/digit.hpp"
#include "accel/cpu/simd/each.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kRowDigitBits = kDigitBits;

// 13 blocks are 26 words and exactly 32 digits: the step of passes over digits.
constexpr std::size_t kStepBlocks = 13;

// Terms that may be added to sums of products of n digits between two carries.
constexpr std::size_t terms_between_carries(std::size_t n) {
  return 4094 / (2 * n - 1);
}

// What products take of a digit that exceeds its bits: nothing has to be done, as IFMA ignores bits
// 52 and above.
[[gnu::always_inline]] inline Vec cut_digit(Vec digit) {
  return digit;
}

// sum += the sum of x_i y_i, where x_i has n digits, every kStep-th vector from x + i n kStep on,
// and y_i has n digits, the same in all lanes, at y + i n. Every kStep-th vector at `sum` is a
// digit. The words `ahead` of y_i are fetched meanwhile.
template <std::size_t n, std::size_t kStep>
[[gnu::always_inline]] inline void add_digit_products(Vec* sum, const Vec* x,
                                                      const std::uint64_t* y, std::size_t terms,
                                                      std::size_t ahead) {
  Vec digits[2 * n];
  each<2 * n>([&](auto j) __attribute__((always_inline)) { digits[j] = sum[j * kStep]; });
  for (std::size_t term = 0; term < terms; ++term, x += n * kStep, y += n) {
    prefetch(y + ahead);
    Vec factors[n];
    each<n>([&](auto j) __attribute__((always_inline)) { factors[j] = x[j * kStep]; });
    each<n>([&](auto k) __attribute__((always_inline)) {
      const Vec factor = all(y[k]);
      each<n>([&](auto j) __attribute__((always_inline)) {
        Vec& digit = digits[j + k];
        digit = add_low(digit, factors[j], factor);
      });
      each<n>([&](auto j) __attribute__((always_inline)) {
        Vec& digit = digits[j + k + 1];
        digit = add_high(digit, factors[j], factor);
      });
    });
  }
  each<2 * n>([&](auto j) __attribute__((always_inline)) { sum[j * kStep] = digits[j]; });
}

// An entry of a sparse weight adds two halves to a digit: after carries, 2047 may follow.
constexpr std::size_t kEntriesBetweenCarries = 2047;

// Adds x * value to kCount digits of a sum, for the digits at x, every kStep-th vector, and that
// before them.
template <std::size_t kCount, std::size_t kStep>
[[gnu::always_inline]] inline void add_digit_multiple(Vec* sum, const Vec* x, Vec value) {
  sum[0] = add_high(sum[0], *(x - kStep), value);
  each<kCount>([&](auto d) __attribute__((always_inline)) {
    const Vec factor = x[d * kStep];
    sum[d] = add_low(sum[d], factor, value);
    if constexpr (d + 1 < kCount) sum[d + 1] = add_high(sum[d + 1], factor, value);
  });
}

}  // namespace

}  // namespace fhe::cpu
