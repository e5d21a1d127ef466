// SPDX-License-Identifier: Apache-2.0
// The server: finds the entry at an index that it cannot read, in a table that everybody may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "apps/support/sent_bits.hpp"
#include "libfhe/gate/evaluator.hpp"

namespace fhe::private_lookup {

inline constexpr std::size_t kMaxEntries = 256;

// A public table of numbers.
class LookupTable {
 public:
  // Throws Error(invalid_argument) unless there are 2 to 256 entries.
  explicit LookupTable(std::vector<std::uint64_t> entries);

  [[nodiscard]] std::size_t size() const { return size_; }
  // The bits of an index, and of the largest entry (at least one).
  [[nodiscard]] std::size_t index_width() const;
  [[nodiscard]] std::size_t entry_width() const;
  // The entries and zeros up to the next power of two.
  [[nodiscard]] const std::vector<std::uint64_t>& padded() const { return entries_; }

 private:
  std::size_t size_;
  std::vector<std::uint64_t> entries_;
};

class Server {
 public:
  // The client's public key is all that it gets.
  Server(const PublicKey& key, const BackendPtr& backend, LookupTable table)
      : key_(key), evaluator_(key, backend), table_(std::move(table)) {}

  // The encrypted bits of the entry, the lowest first. With n = index_width(), 2^n - n - 1 ANDs
  // whatever the index. Throws Error(invalid_argument) unless the index has n bits.
  [[nodiscard]] std::vector<Ciphertext> look_up(const apps::SentBits& index) const;

  [[nodiscard]] GateCounts counts() const { return evaluator_.counts(); }

 private:
  PublicKey key_;
  Evaluator evaluator_;
  LookupTable table_;
};

}  // namespace fhe::private_lookup
