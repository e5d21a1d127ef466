// SPDX-License-Identifier: Apache-2.0
// Products of key stream chunks in eight lanes with weights of which few 52-bit digits are not
// zero: the weights of low Hamming weight.
//
// A weight is a list of entries (position q, value v), v < 2^52, standing for sum v * 2^(52 q). The
// sum is kept still and the chunks move: a window of 16 digits of the sum stays in registers while
// every entry adds its part, low(x_{d-q} v) + high(x_{d-q-1} v) to digit d.
//
// Bound. An entry adds at most two halves below 2^52 to a digit of the sum, so after carries 2047
// entries may follow before the next carries.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/streams/aes_lanes.hpp"

namespace fhe::cpu {

inline constexpr std::size_t kSparseStepBlocks = 13;  // blocks of a chunk are a multiple of this
inline constexpr std::size_t kSparseStepWords = 26;   // the same as words
inline constexpr std::size_t kSparseStepDigits = 32;  // the same as digits
inline constexpr std::size_t kSparseWindow = 16;      // digits
inline constexpr std::size_t kSparseEntriesBetweenCarries = 2047;

struct SparseEntry {
  std::uint64_t position;
  std::uint64_t value;
};

// The digits of `steps` steps of every lane: 32 * steps rows. `mask`, 26 * steps rows, cuts the
// elements off at their end; null where nothing has to be cut.
void sparse_digits(const AesKey& key, const LaneStart& start, std::size_t steps,
                   const std::uint64_t* mask, std::uint64_t* digits);

// sums += the chunk with `digit_count` digits at `digits` times the weight with these entries,
// which are in ascending order of their positions. Before and after the digits there are
// kSparseWindow rows of zeros. `sums` holds a multiple of kSparseWindow rows, more than digit_count
// and the last position together.
void sparse_accumulate(const std::uint64_t* digits, std::size_t digit_count,
                       const SparseEntry* entries, std::size_t count, std::uint64_t* sums);

}  // namespace fhe::cpu
