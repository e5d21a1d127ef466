// SPDX-License-Identifier: Apache-2.0
// Folding in digits of 52 bits, a vector of columns at a time.
//
// With x = h 2^n + l, and h, l and r in digits, column c of h r + l is, before carries,
//   l_c + sum_j low(h_{c-j} r_j) + sum_j high(h_{c-1-j} r_j).
// Columns stay below 2^64 for up to 2^11 - 1 digits of r.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "accel/cpu/kernel.hpp"

namespace fhe::cpu {

// A block is 16 digits, which are 13 words: what is read and written at a time.
inline constexpr std::size_t kBlockDigits = 16;
inline constexpr std::size_t kBlockWords = 13;

// Digits of h that are at hand at a time: they stay in the first-level cache.
inline constexpr std::size_t kFoldTileDigits = 512;

// Digits before those that the columns of a tile need for an r of so many: whole vectors of eight.
[[gnu::always_inline]] constexpr std::size_t fold_digits_before(std::size_t r_digits) {
  return (r_digits + 7) / 8 * 8;
}

// Words of working memory for an r of so many digits.
[[gnu::always_inline]] constexpr std::size_t fold_tile_words(std::size_t r_digits) {
  return fold_digits_before(r_digits) + kFoldTileDigits;
}

// x = h r + l. Requires n >= 64, 64 x.size() > n, 1 <= r.size() < 2^11, that the result fits in x,
// and that `tile` has fold_tile_words(r.size()) words, aligned to 64 bytes. No two of x, r and tile
// may overlap.
using FoldDigits = void (*)(std::span<std::uint64_t> x, std::size_t n,
                            std::span<const std::uint64_t> r, std::uint64_t* tile);

// To be called only where the processor has the instructions.
void ifma_fold_digits(std::span<std::uint64_t> x, std::size_t n, std::span<const std::uint64_t> r,
                      std::uint64_t* tile);
void avxifma_fold_digits(std::span<std::uint64_t> x, std::size_t n,
                         std::span<const std::uint64_t> r, std::uint64_t* tile);

// Those of a kernel; null where it has none.
FoldDigits fold_digits_of(Kernel kernel);

}  // namespace fhe::cpu
