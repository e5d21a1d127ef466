// SPDX-License-Identifier: Apache-2.0
// The party with the secret key: the only one that can decrypt. Servers never include this file.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/support/application.hpp"
#include "apps/support/sent_bits.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::apps {

class KeyHolder {
 public:
  // Makes a new key pair.
  explicit KeyHolder(const Setting& setting);

  // What everybody else gets.
  [[nodiscard]] const PublicKey& public_key() const { return keys_.public_key; }

  // How many bits a ciphertext holds.
  [[nodiscard]] std::size_t slots() const { return public_key().slots(); }

  // Encrypts as the owner of the key can: compressed where the scheme can, else as everybody. Each
  // bit is in all slots.
  [[nodiscard]] SentBits encrypt(const std::vector<bool>& bits) const;
  // The same of the bits of each slot; slots that are not there have zeros. Requires at most
  // slots() of one length.
  [[nodiscard]] SentBits encrypt_slots(const std::vector<std::vector<bool>>& slots) const;

  // The number of these bits in each slot, the lowest first, at most 64. Throws Error as Decryptor
  // does.
  [[nodiscard]] std::vector<std::uint64_t> decrypt_slots(const std::vector<Ciphertext>& bits) const;

 private:
  KeyPair keys_;
  BackendPtr backend_;
};

}  // namespace fhe::apps
