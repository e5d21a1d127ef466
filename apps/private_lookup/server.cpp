// SPDX-License-Identifier: Apache-2.0
#include "apps/private_lookup/server.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "apps/support/encrypted.hpp"
#include "libfhe/error.hpp"

namespace fhe::private_lookup {

LookupTable::LookupTable(std::vector<std::uint64_t> entries)
    : size_(entries.size()), entries_(std::move(entries)) {
  if (size_ < 2 || size_ > kMaxEntries) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a table has 2 to {} entries, not {}", kMaxEntries, size_));
  }
  entries_.resize(std::bit_ceil(size_));
}

std::size_t LookupTable::index_width() const {
  return static_cast<std::size_t>(std::countr_zero(entries_.size()));
}

std::size_t LookupTable::entry_width() const {
  const std::uint64_t largest = *std::ranges::max_element(entries_);
  return std::max(static_cast<std::size_t>(std::bit_width(largest)), std::size_t{1});
}

std::vector<Ciphertext> Server::look_up(const apps::SentBits& index) const {
  const apps::EncryptedNumber number(evaluator_, apps::received(index, key_));
  return fhe::look_up(number, table_.padded(), table_.entry_width()).values();
}

}  // namespace fhe::private_lookup
