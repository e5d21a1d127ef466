// SPDX-License-Identifier: Apache-2.0
// The authority of a ballot in numbers: holds the secret key. Voters and server never include this
// file.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/support/application.hpp"
#include "libfhe/scheme/she/keys.hpp"

namespace fhe::ballot {

class NumberAuthority {
 public:
  // Makes a key pair. Throws Error(invalid_parameters) for a group without public keys.
  explicit NumberAuthority(const apps::Setting& setting);

  // What voters get.
  [[nodiscard]] const she::PublicKey& public_key() const { return keys_.public_key; }

  // The number of yes votes to each question.
  [[nodiscard]] std::vector<std::uint64_t> decrypt(const std::vector<she::Slots>& tally) const;

 private:
  she::KeyPair keys_;
};

}  // namespace fhe::ballot
