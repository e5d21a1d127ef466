// SPDX-License-Identifier: Apache-2.0
#include "apps/private_search/client.hpp"

#include <algorithm>

namespace fhe::private_search {

Client::Client(const apps::Setting& setting) : keys_(setting) {}

EncryptedKeyword Client::encrypt(const std::string& keyword) const {
  return keys_.encrypt(keyword_bits(keyword));
}

std::vector<EncryptedKeyword> Client::encrypt(const KeywordList& list) const {
  require_valid_list(list, keys_.slots());
  std::vector<EncryptedKeyword> encrypted;
  for (const auto& round : rounds_of(list, keys_.slots())) {
    encrypted.push_back(keys_.encrypt_slots(round));
  }
  return encrypted;
}

std::optional<std::size_t> Client::decrypt(const Answer& answer) const {
  const std::vector<std::uint64_t> found = keys_.decrypt_slots({answer.found});
  const auto slot = std::ranges::find(found, std::uint64_t{1}) - found.begin();
  const auto own = static_cast<std::size_t>(slot);
  if (own == found.size()) return std::nullopt;
  return keys_.decrypt_slots(answer.position)[own] * keys_.slots() + own;
}

}  // namespace fhe::private_search
