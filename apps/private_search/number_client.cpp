// SPDX-License-Identifier: Apache-2.0
#include "apps/private_search/client.hpp"

namespace fhe::private_search {

NumberClient::NumberClient(const apps::Setting& setting, KeywordParts parts)
    : parts_(parts), key_(she::KeyGenerator(setting.parameters, setting.backend).generate()) {}

she::CompressedSlots NumberClient::encrypt(const KeywordList& keywords) const {
  return she::Encryptor(key_).encrypt_compressed(parts_.rows(keywords));
}

std::vector<std::vector<bool>> NumberClient::decrypt(const NumberAnswer& answer,
                                                     std::size_t slots) const {
  const she::Decryptor decryptor(key_);
  std::vector<std::vector<bool>> holds;
  for (const std::vector<she::Slots>& comparison : answer) {
    std::vector<bool>& row = holds.emplace_back(slots, true);
    for (const she::SlotNumbers& part : decryptor.decrypt_all(comparison)) {
      for (std::size_t j = 0; j < slots; ++j) row[j] = row[j] && part[j] == 0;
    }
  }
  return holds;
}

}  // namespace fhe::private_search
