// SPDX-License-Identifier: Apache-2.0
// The client: wants one entry of a public table and does not say which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/support/key_holder.hpp"

namespace fhe::private_lookup {

class Client {
 public:
  // Makes the client's key pair.
  explicit Client(const apps::Setting& setting);

  [[nodiscard]] const PublicKey& public_key() const { return keys_.public_key(); }

  // The encrypted bits, the lowest first, of an index < 2^width.
  [[nodiscard]] apps::SentBits encrypt_index(std::size_t index, std::size_t width) const;

  // The entry that the server answered.
  [[nodiscard]] std::uint64_t decrypt(const std::vector<Ciphertext>& entry) const;

 private:
  apps::KeyHolder keys_;
};

}  // namespace fhe::private_lookup
