// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "apps/private_lookup/client.hpp"

namespace fhe::private_lookup {

NumberClient::NumberClient(const apps::Setting& setting, NumberPlan plan)
    : plan_(plan), key_(she::KeyGenerator(setting.parameters, setting.backend).generate()) {}

she::CompressedSlots NumberClient::encrypt_indices(const std::vector<std::size_t>& indices) const {
  std::vector<she::SlotNumbers> selections(plan_.query_size(), she::SlotNumbers(indices.size()));
  for (std::size_t j = 0; j < indices.size(); ++j) {
    selections[indices[j] % plan_.columns()][j] = 1;
    if (plan_.rows() > 1) selections[plan_.columns() + indices[j] / plan_.columns()][j] = 1;
  }
  return she::Encryptor(key_).encrypt_compressed(selections);
}

std::vector<std::uint64_t> NumberClient::decrypt(const std::vector<she::Slots>& digits) const {
  const std::vector<she::SlotNumbers> rows = she::Decryptor(key_).decrypt_all(digits);
  std::vector<std::uint64_t> entries;
  for (std::size_t j = 0; j < rows.front().size(); ++j) {
    std::vector<std::uint64_t> of_slot;
    of_slot.reserve(rows.size());
    for (const she::SlotNumbers& row : rows) of_slot.push_back(row[j]);
    entries.push_back(plan_.entry_of(of_slot));
  }
  return entries;
}

}  // namespace fhe::private_lookup
