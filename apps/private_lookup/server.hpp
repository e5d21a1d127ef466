// SPDX-License-Identifier: Apache-2.0
// The server: finds the entry at an index that it cannot read, in a table that everybody may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "apps/private_lookup/number_plan.hpp"
#include "apps/support/sent_bits.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/compressed_slots.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::private_lookup {

// The server: finds the entry at an index that it cannot read, in a table that everybody may read;
// with slots in many tables at once.

inline constexpr std::size_t kMaxEntries = 256;

// Public tables of numbers, all of one size.
class LookupTables {
 public:
  // The entries of `count` tables, those of the first before those of the second. Throws
  // Error(invalid_argument) unless each has 2 to 256.
  LookupTables(const std::vector<std::uint64_t>& entries, std::size_t count);

  // How many tables there are, and the entries of each.
  [[nodiscard]] std::size_t count() const { return tables_.size(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  // The bits of an index, and of the largest entry (at least one).
  [[nodiscard]] std::size_t index_width() const;
  [[nodiscard]] std::size_t entry_width() const;
  // The entries of a table and zeros up to the next power of two.
  [[nodiscard]] const std::vector<std::uint64_t>& padded(std::size_t table) const {
    return tables_[table];
  }

 private:
  std::size_t size_;
  std::vector<std::vector<std::uint64_t>> tables_;
};

class Server {
 public:
  // The client's public key is all that it gets. Each table is that of a slot; one table is that of
  // all slots. Throws Error(invalid_argument) for more tables than slots.
  Server(const PublicKey& key, const BackendPtr& backend, LookupTables tables);

  // The encrypted bits of the entry in each slot, the lowest first. With n = index_width(),
  // 2^n - n - 1 ANDs whatever the index, and for several tables one with public bits for each of at
  // most 2^n entry_width() coefficients. Throws Error(invalid_argument) unless the index has n
  // bits.
  [[nodiscard]] std::vector<Ciphertext> look_up(const apps::SentBits& index) const;

  [[nodiscard]] GateCounts counts() const { return evaluator_.counts(); }

 private:
  PublicKey key_;
  Evaluator evaluator_;
  LookupTables tables_;
};

// The server of look-ups with numbers in slots: finds entries at indices that it cannot read. It
// has no key at all.
class NumberServer {
 public:
  NumberServer(const ParameterSet& group, const BackendPtr& backend, NumberPlan plan,
               std::vector<std::uint64_t> table);

  // The digits of the entry in each slot, the lowest first: sums of columns, and with several rows
  // for each digit as many products as there are rows. Throws Error(invalid_argument) unless the
  // query has a ciphertext for each column and row, and as CompressedSlots::expand and Arithmetic
  // do.
  [[nodiscard]] std::vector<she::Slots> look_up(const she::CompressedSlots& query) const;

 private:
  using Column = std::vector<she::Slots>;

  [[nodiscard]] she::Slots digit_of_row(std::size_t row, std::size_t k,
                                        const Column& columns) const;

  ParameterSet group_;
  NumberPlan plan_;
  std::vector<std::uint64_t> table_;
  she::Arithmetic arithmetic_;
};

}  // namespace fhe::private_lookup
