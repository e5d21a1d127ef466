// SPDX-License-Identifier: Apache-2.0
#include "apps/private_lookup/client.hpp"

#include "libfhe/circuit/bits.hpp"

namespace fhe::private_lookup {

Client::Client(const apps::Setting& setting) : keys_(setting) {}

apps::SentBits Client::encrypt_index(std::size_t index, std::size_t width) const {
  return keys_.encrypt(bits_of(index, width));
}

std::uint64_t Client::decrypt(const std::vector<Ciphertext>& entry) const {
  return keys_.decrypt(entry);
}

}  // namespace fhe::private_lookup
