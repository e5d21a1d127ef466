// SPDX-License-Identifier: Apache-2.0
#include "apps/ballot/voter.hpp"

namespace fhe::ballot {

Ciphertext cast_ballot(const SlotBits& answers, const PublicKey& key, const BackendPtr& backend) {
  return Encryptor(key, backend).encrypt_slots(answers);
}

}  // namespace fhe::ballot
