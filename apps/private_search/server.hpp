// SPDX-License-Identifier: Apache-2.0
// The server: compares keywords that it cannot read with keywords that it knows.
#pragma once

#include <string>
#include <vector>

#include "apps/private_search/keyword.hpp"
#include "apps/private_search/messages.hpp"
#include "apps/support/encrypted.hpp"

namespace fhe::private_search {

class Server {
 public:
  // The client's public key is all that it gets.
  Server(const PublicKey& key, const BackendPtr& backend) : key_(key), evaluator_(key, backend) {}

  // Both: the answer for one keyword and one list, of which one is encrypted; the list has a
  // keyword in each slot. An AND for each bit of each keyword of a slot but one. Throw
  // Error(invalid_argument) for what is no keyword, no list, or encrypted in another number of
  // bits.
  [[nodiscard]] Answer search(const EncryptedKeyword& keyword, const KeywordList& list) const;
  [[nodiscard]] Answer search(const std::string& keyword,
                              const std::vector<EncryptedKeyword>& list) const;

  [[nodiscard]] GateCounts counts() const { return evaluator_.counts(); }

 private:
  using Bits = std::vector<Ciphertext>;

  // The bits, every one recrypted that a product with its like would find too noisy: once, instead
  // of once for each keyword of the list.
  [[nodiscard]] Bits ready_for_products(Bits keyword) const;
  // Whether the keyword in each slot is the plain one there.
  [[nodiscard]] apps::EncryptedBit equal(const Bits& encrypted,
                                         const std::vector<SlotBits>& plain) const;
  [[nodiscard]] Answer answer(const std::vector<apps::EncryptedBit>& matches) const;

  PublicKey key_;
  Evaluator evaluator_;
};

}  // namespace fhe::private_search
