// SPDX-License-Identifier: Apache-2.0
// Products of key stream chunks in eight lanes with weights of which few digits are not zero: the
// weights of low Hamming weight.
//
// A weight is a list of entries (position q, value v), v < 2^b, standing for sum v * 2^(b q), with
// b = digit_bits. The sum is kept still and the chunks move: a window of digits of the sum stays in
// registers while every entry adds its part to digit d: low(x_{d-q} v) + high(x_{d-q-1} v) with
// IFMA, and x_{d-q} v elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/streams/aes_lanes.hpp"

namespace fhe::cpu {

// The digits of a chunk are a multiple of this.
inline constexpr std::size_t kSparseStepDigits = 32;

// Rows of zeros around a chunk, and the digits of sums are a multiple of it.
inline constexpr std::size_t kSparseWindow = 16;

struct SparseEntry {
  std::uint64_t position;
  std::uint64_t value;
};

struct SparseKernel {
  std::size_t digit_bits;
  std::size_t step_blocks;   // kSparseStepDigits digits as blocks of the generator
  std::size_t digits_above;  // that `words` reads beyond those of the words
  std::size_t entries_between_carries;

  // The digits of `steps` steps of every lane: kSparseStepDigits * steps rows. `mask`,
  // 2 * step_blocks * steps rows, cuts the elements off at their end; null where nothing has to be
  // cut.
  void (*generate)(const AesKey& key, const LaneStart& start, std::size_t steps,
                   const std::uint64_t* mask, std::uint64_t* digits);

  // sums += the chunk with `digit_count` digits at `digits` times the weight with these entries,
  // which are in ascending order of their positions. Before and after the digits there are
  // kSparseWindow rows of zeros. `sums` holds a multiple of kSparseWindow rows, more than
  // digit_count and the last position together.
  void (*accumulate)(const std::uint64_t* digits, std::size_t digit_count,
                     const SparseEntry* entries, std::size_t count, std::uint64_t* sums);

  // Moves what exceeds digit_bits of each of the first `rows` - 1 rows into the next one.
  void (*carry)(std::uint64_t* digits, std::size_t rows);

  // The first `word_rows` words of the number. Requires that all digits but the last are carried,
  // and that there are `digits_above` more of them than these words have.
  void (*words)(const std::uint64_t* digits, std::uint64_t* words, std::size_t word_rows);
};

}  // namespace fhe::cpu
