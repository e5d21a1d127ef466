// SPDX-License-Identifier: Apache-2.0
// Bit-selected sums of one column group (eight adjacent chunks) of a key stream.
//
// A chunk is 6 blocks: 12 words, or 16 digits of 48 bits, so that 2^16 - 1 numbers can be added up
// in 64-bit lanes without carries. An element is not added to every sum whose bit is set in its
// mask: the mask is cut into fields of a few bits, the element goes to one bucket for each field
// that is not zero, and at the end of a block each sum collects the buckets whose number has its
// bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/streams/aes_lanes.hpp"

namespace fhe::cpu {

inline constexpr std::size_t kSelectionBlocks = 6;
inline constexpr std::size_t kSelectionWords = 12;
inline constexpr std::size_t kSelectionDigits = 16;

// How many elements may be added before the buckets are collected.
inline constexpr std::size_t kMostSelected = 65535;

// Elements and where they go: element i is added to the buckets buckets[starts[i]], ...,
// buckets[starts[i + 1] - 1].
struct BucketPlan {
  const std::uint32_t* starts;
  const std::uint16_t* buckets;
};

struct SelectionKernel {
  // Adds the columns of the elements [first, last) to buckets of kSelectionDigits rows each.
  // `start` is that of element 0. `mask`, kSelectionWords rows, cuts the elements off at their end;
  // null where nothing has to be cut. Elements without buckets are not generated.
  void (*add_to_buckets)(const AesKey& key, const LaneStart& start, const BucketPlan& plan,
                         std::size_t first, std::size_t last, const std::uint64_t* mask,
                         std::uint64_t* buckets);

  // The sum of those of the buckets 1, ..., 2^bits - 1 whose number has bit `bit`; bucket number n
  // is at index n - 1. Requires that at most kMostSelected numbers have been added to them.
  void (*collect_buckets)(const std::uint64_t* buckets, unsigned bits, unsigned bit,
                          std::uint64_t* sum);

  // From digits with carries to kSelectionWords rows of words, the carry of each lane added to the
  // next lane; returns the carry of the last one. Leaves `sum` undefined.
  std::uint64_t (*selection_words)(std::uint64_t* sum, std::uint64_t* words);
};

}  // namespace fhe::cpu
