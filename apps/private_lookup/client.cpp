// SPDX-License-Identifier: Apache-2.0
#include "apps/private_lookup/client.hpp"

#include "libfhe/circuit/bits.hpp"

namespace fhe::private_lookup {

Client::Client(const apps::Setting& setting) : keys_(setting) {}

apps::SentBits Client::encrypt_indices(const std::vector<std::size_t>& indices,
                                       std::size_t width) const {
  if (indices.size() == 1) return keys_.encrypt(bits_of(indices.front(), width));
  std::vector<std::vector<bool>> slots;
  slots.reserve(indices.size());
  for (const std::size_t index : indices) slots.push_back(bits_of(index, width));
  return keys_.encrypt_slots(slots);
}

std::vector<std::uint64_t> Client::decrypt(const std::vector<Ciphertext>& entries) const {
  return keys_.decrypt_slots(entries);
}

}  // namespace fhe::private_lookup
