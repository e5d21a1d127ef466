// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/word.hpp"

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe {

namespace {

constexpr std::size_t kMaxIndexBits = 20;

}  // namespace

void require_equal_widths(std::size_t left, std::size_t right) {
  if (left == right) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("words of {} and {} bits do not go together: use resized()", left, right));
}

void require_bit(std::size_t i, std::size_t width) {
  if (i < width) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("bit {} of a word of {} bits: they are numbered from 0", i, width));
}

void require_table_size(std::size_t entries, std::size_t index_bits) {
  if (index_bits <= kMaxIndexBits && entries == std::size_t{1} << index_bits) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("a table for an index of {} bits (at most {}) has 2^{} entries, not {}",
                          index_bits, kMaxIndexBits, index_bits, entries));
}

}  // namespace fhe
