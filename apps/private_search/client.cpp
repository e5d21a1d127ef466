// SPDX-License-Identifier: Apache-2.0
#include "apps/private_search/client.hpp"

namespace fhe::private_search {

Client::Client(const apps::Setting& setting) : keys_(setting) {}

EncryptedKeyword Client::encrypt(const std::string& keyword) const {
  return keys_.encrypt(keyword_bits(keyword));
}

std::vector<EncryptedKeyword> Client::encrypt(const KeywordList& list) const {
  require_valid_list(list);
  std::vector<EncryptedKeyword> encrypted;
  for (const std::string& keyword : list) encrypted.push_back(encrypt(keyword));
  return encrypted;
}

std::optional<std::size_t> Client::decrypt(const Answer& answer) const {
  if (!keys_.decrypt(answer.found)) return std::nullopt;
  return keys_.decrypt(answer.position);
}

}  // namespace fhe::private_search
