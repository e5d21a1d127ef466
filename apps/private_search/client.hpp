// SPDX-License-Identifier: Apache-2.0
// The client: holds the secret key, encrypts what it wants to keep from the server, and is the only
// one that can read the answer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apps/private_search/keyword.hpp"
#include "apps/private_search/messages.hpp"
#include "apps/support/application.hpp"
#include "apps/support/key_holder.hpp"
#include "libfhe/scheme/she/keys.hpp"

namespace fhe::private_search {

// The client: holds the secret key, encrypts what it wants to keep from the server, and is the only
// one that can read the answer.
class Client {
 public:
  // Makes the client's key pair.
  explicit Client(const apps::Setting& setting);

  [[nodiscard]] const PublicKey& public_key() const { return keys_.public_key(); }

  // Both throw Error(invalid_argument) for what is no keyword or no list.
  [[nodiscard]] EncryptedKeyword encrypt(const std::string& keyword) const;
  [[nodiscard]] std::vector<EncryptedKeyword> encrypt(const KeywordList& list) const;

  // The position of the match, counted from 0, if there is one.
  [[nodiscard]] std::optional<std::size_t> decrypt(const Answer& answer) const;

 private:
  apps::KeyHolder keys_;
};

// The client of searches with numbers in slots: holds the secret key, and alone reads answers.
class NumberClient {
 public:
  // Makes the client's secret key.
  NumberClient(const apps::Setting& setting, KeywordParts parts);

  // The parts of keywords, one in each slot. Throws Error(invalid_argument) for more than there are
  // slots, and for what is no keyword.
  [[nodiscard]] she::CompressedSlots encrypt(const KeywordList& keywords) const;

  // Comparison by comparison, whether it holds in each of the first slots.
  [[nodiscard]] std::vector<std::vector<bool>> decrypt(const NumberAnswer& answer,
                                                       std::size_t slots) const;

 private:
  KeywordParts parts_;
  she::SecretKey key_;
};

}  // namespace fhe::private_search
