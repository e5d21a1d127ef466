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

bool KeyHolder::decrypt(const Ciphertext& bit) const {
  return Decryptor(keys_.secret_key).decrypt(bit);
}

std::uint64_t KeyHolder::decrypt(const std::vector<Ciphertext>& bits) const {
  return number_of(Decryptor(keys_.secret_key).decrypt(bits));
}

}  // namespace fhe::apps
