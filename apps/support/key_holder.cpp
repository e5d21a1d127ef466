// SPDX-License-Identifier: Apache-2.0
#include "apps/support/key_holder.hpp"

#include "libfhe/circuit/bits.hpp"
#include "libfhe/scheme/sizes.hpp"

namespace fhe::apps {

KeyHolder::KeyHolder(const Setting& setting)
    : keys_(KeyGenerator(setting.parameters, setting.backend).generate()),
      backend_(setting.backend) {}

SentBits KeyHolder::encrypt(const std::vector<bool>& bits) const {
  if (sizes_of(public_key().parameters())->compressed_bits) {
    return SecretEncryptor(keys_.secret_key, backend_).encrypt(bits);
  }
  return Encryptor(public_key(), backend_).encrypt(bits);
}

SentBits KeyHolder::encrypt_slots(const std::vector<std::vector<bool>>& slots) const {
  const std::vector<SlotBits> rows = rows_of(slots, this->slots());
  if (sizes_of(public_key().parameters())->compressed_bits) {
    return SecretEncryptor(keys_.secret_key, backend_).encrypt_slots(rows);
  }
  return Encryptor(public_key(), backend_).encrypt_slots(rows);
}

std::vector<std::uint64_t> KeyHolder::decrypt_slots(const std::vector<Ciphertext>& bits) const {
  std::vector<std::uint64_t> numbers;
  for (const auto& slot : transposed(Decryptor(keys_.secret_key).decrypt_slots(bits))) {
    numbers.push_back(number_of(slot));
  }
  return numbers;
}

}  // namespace fhe::apps
