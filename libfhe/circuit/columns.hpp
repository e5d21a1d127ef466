// SPDX-License-Identifier: Apache-2.0
// Sums of many bits of different weights, as multiplication and counting need them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "libfhe/circuit/bit.hpp"

namespace fhe {

// What a word operation should save when it cannot save both.
enum class Prefer {
  few_ands,   // the number of ANDs, which the number of recryptions follows
  low_depth,  // the depth, which the time on many threads follows
};

// Bits to be added: columns[i] holds bits of weight 2^i.
template <class Algebra>
using BitColumns = std::vector<std::vector<Bit<Algebra>>>;

// Adds three bits of a column: puts their sum into `sums` and their carry into `carries`, the next
// column, unless that is null. One AND.
template <class Algebra>
void compress_three(const Bit<Algebra>& x, const Bit<Algebra>& y, const Bit<Algebra>& z,
                    std::vector<Bit<Algebra>>& sums, std::vector<Bit<Algebra>>* carries) {
  sums.push_back(x ^ y ^ z);
  if (carries != nullptr) carries->push_back(majority(x, y, z));
}

// One layer of compressors: reduces every column to `height` bits, the carries from the column
// before it included, with as few compressors as possible. Carries out of the last column are
// dropped.
template <class Algebra>
[[nodiscard]] BitColumns<Algebra> compress_layer(const BitColumns<Algebra>& columns,
                                                 std::size_t height) {
  BitColumns<Algebra> next(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& column = columns[i];
    auto* const carries = i + 1 < columns.size() ? &next[i + 1] : nullptr;
    std::size_t taken = 0;
    while (column.size() - taken + next[i].size() > height && column.size() - taken > 1) {
      const bool two_suffice = column.size() - taken + next[i].size() == height + 1;
      const bool three = !two_suffice && column.size() - taken > 2;
      const auto& x = column[taken];
      const auto& y = column[taken + 1];
      const auto z = three ? column[taken + 2] : Bit<Algebra>::known(x.algebra(), false);
      compress_three(x, y, z, next[i], carries);
      taken += three ? 3 : 2;
    }
    next[i].insert(next[i].end(), column.begin() + static_cast<std::ptrdiff_t>(taken),
                   column.end());
  }
  return next;
}

// Compresses, in as few layers as possible, until no column holds more than two bits (Dadda: of the
// heights 2, 3, 4, 6, 9, ... one layer reduces each to the one before).
template <class Algebra>
[[nodiscard]] BitColumns<Algebra> compress_to_two(BitColumns<Algebra> columns) {
  std::size_t tallest = 0;
  for (const auto& column : columns) tallest = std::max(tallest, column.size());
  std::vector<std::size_t> heights{2};
  while (heights.back() < tallest) heights.push_back(heights.back() * 3 / 2);
  for (std::size_t k = heights.size(); k-- > 0;) columns = compress_layer(columns, heights[k]);
  return columns;
}

// The sum modulo 2^columns.size(), with one AND for each carry: column after column, the oldest
// bits first.
template <class Algebra>
[[nodiscard]] std::vector<Bit<Algebra>> sum_of_columns(Algebra& algebra,
                                                       BitColumns<Algebra> columns) {
  const auto zero = Bit<Algebra>::known(algebra, false);
  std::vector<Bit<Algebra>> sum;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& column = columns[i];
    auto* const carries = i + 1 < columns.size() ? &columns[i + 1] : nullptr;
    std::size_t taken = 0;
    while (column.size() - taken > 1) {
      const bool three = column.size() - taken > 2;
      const auto x = column[taken];
      const auto y = column[taken + 1];
      const auto z = three ? column[taken + 2] : zero;
      compress_three(x, y, z, column, carries);
      taken += three ? 3 : 2;
    }
    sum.push_back(column.empty() ? zero : column.back());
  }
  return sum;
}

}  // namespace fhe
