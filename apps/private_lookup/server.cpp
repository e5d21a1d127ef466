// SPDX-License-Identifier: Apache-2.0
#include "apps/private_lookup/server.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "apps/support/encrypted.hpp"
#include "libfhe/error.hpp"

namespace fhe::private_lookup {

LookupTables::LookupTables(const std::vector<std::uint64_t>& entries, std::size_t count)
    : size_(count == 0 ? 0 : entries.size() / count) {
  if (size_ < 2 || size_ > kMaxEntries || size_ * count != entries.size()) {
    throw Error(ErrorCode::invalid_argument,
                count == 1 ? fmt::format("a table has 2 to {} entries, not {}", kMaxEntries, size_)
                           : fmt::format("{} entries are not {} tables of one size, of 2 to {}",
                                         entries.size(), count, kMaxEntries));
  }
  for (std::size_t first = 0; first < entries.size(); first += size_) {
    const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(first);
    tables_.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size_));
    tables_.back().resize(std::bit_ceil(size_));
  }
}

std::size_t LookupTables::index_width() const {
  return static_cast<std::size_t>(std::countr_zero(tables_.front().size()));
}

std::size_t LookupTables::entry_width() const {
  std::uint64_t largest = 1;
  for (const auto& table : tables_) largest = std::max(largest, *std::ranges::max_element(table));
  return static_cast<std::size_t>(std::bit_width(largest));
}

namespace {

// Bit i of coefficient m of each table, in its slot, as row m * width + i.
std::vector<SlotBits> coefficient_rows(const LookupTables& tables, std::size_t slots) {
  const std::size_t width = tables.entry_width();
  std::vector<SlotBits> rows(tables.padded(0).size() * width, SlotBits(slots));
  for (std::size_t j = 0; j < tables.count(); ++j) {
    const std::vector<std::uint64_t> coefficients = monomial_coefficients(tables.padded(j));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      rows[k][j] = (coefficients[k / width] >> (k % width) & 1) != 0;
    }
  }
  return rows;
}

}  // namespace

Server::Server(const PublicKey& key, const BackendPtr& backend, LookupTables tables)
    : key_(key), evaluator_(key, backend), tables_(std::move(tables)) {
  if (tables_.count() <= key.slots()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} tables for ciphertexts of {} slots: one table for each at most",
                          tables_.count(), key.slots()));
}

std::vector<Ciphertext> Server::look_up(const apps::SentBits& index) const {
  const apps::EncryptedNumber number(evaluator_, apps::received(index, key_));
  const std::size_t width = tables_.entry_width();
  if (tables_.count() == 1) return fhe::look_up(number, tables_.padded(0), width).values();
  require_table_size(tables_.padded(0).size(), number.width());
  const std::vector<apps::EncryptedBit> products = monomials(number);
  const std::vector<apps::EncryptedBit> coefficients =
      apps::public_bits(evaluator_, coefficient_rows(tables_, key_.slots()));
  apps::EncryptedNumber::Bits entry(width, apps::EncryptedBit::known(evaluator_, false));
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    entry[k % width] ^= products[k / width] & coefficients[k];
  }
  return apps::EncryptedNumber(evaluator_, std::move(entry)).values();
}

}  // namespace fhe::private_lookup
