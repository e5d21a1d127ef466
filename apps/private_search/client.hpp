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
#include "apps/support/key_holder.hpp"

namespace fhe::private_search {

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

}  // namespace fhe::private_search
