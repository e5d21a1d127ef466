// SPDX-License-Identifier: Apache-2.0
#include "apps/ballot/voter.hpp"

namespace fhe::ballot {

Ciphertext cast_ballot(const SlotBits& answers, const PublicKey& key, const BackendPtr& backend) {
  return Encryptor(key, backend).encrypt_slots(answers);
}

std::vector<she::Slots> cast_ballot(const std::vector<std::uint64_t>& answers,
                                    const she::PublicKey& key, const BackendPtr& backend) {
  return she::PublicEncryptor(key, backend).encrypt_all(answers);
}

}  // namespace fhe::ballot
