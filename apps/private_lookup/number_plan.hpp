// SPDX-License-Identifier: Apache-2.0
// How an index and the entries of a table are written as numbers in slots: what client and server
// agree on, from the group and the size of the table alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::private_lookup {

// A query is a selection of a column, and where the group allows a product one of a row too: a
// ciphertext for each that holds 1 in the slots of the look-ups that want it, and 0 in the others.
// An entry is answered in digits, so small that sums over the whole table keep below the limit of
// the noise.
class NumberPlan {
 public:
  // Entry i stands in row i / columns() and column i mod columns(): one row at depth 0, else about
  // as many rows as columns. Throws Error(invalid_argument) when the group has no room for sums of
  // so many entries, Error(invalid_parameters) for a group of another scheme.
  NumberPlan(const ParameterSet& group, std::size_t entries, std::size_t entry_width);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  // The bits of a digit, and how many digits an entry has.
  [[nodiscard]] std::size_t digit_bits() const { return digit_bits_; }
  [[nodiscard]] std::size_t digits() const;
  // Ciphertexts of a query: columns, and rows when there are several.
  [[nodiscard]] std::size_t query_size() const { return columns_ + (rows_ == 1 ? 0 : rows_); }

  // Digit k of an entry, the lowest first; and the entry with these digits.
  [[nodiscard]] std::uint64_t digit(std::uint64_t entry, std::size_t k) const;
  [[nodiscard]] std::uint64_t entry_of(const std::vector<std::uint64_t>& digits) const;

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::size_t entry_width_;
  std::size_t digit_bits_ = 0;
};

}  // namespace fhe::private_lookup
