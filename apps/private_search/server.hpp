// SPDX-License-Identifier: Apache-2.0
// The server: compares keywords that it cannot read with keywords that it knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/private_search/keyword.hpp"
#include "apps/private_search/messages.hpp"
#include "apps/support/encrypted.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/compressed_slots.hpp"

namespace fhe::private_search {

// The server: compares keywords that it cannot read with keywords that it knows.
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

// The server of searches with numbers in slots: compares keywords that it cannot read with keywords
// that it knows. It has no key at all.
//
// Differences are multiplied by random units of Z/Q, as large as the noise allows, so that the
// numbers that are decrypted tell no difference at once. They are no protection against anybody who
// wants to know: an answer is the query's integer less a keyword, times a unit, so whoever sees
// both, the client or not, divides and has the keyword. One unit also masks all slots.
class NumberServer {
 public:
  NumberServer(const ParameterSet& group, const BackendPtr& backend, KeywordParts parts);

  // For each keyword its difference from what is in each slot, part by part: no products. Throws
  // Error(invalid_argument) for a query of another number of parts, and as CompressedSlots::expand
  // and Arithmetic do.
  [[nodiscard]] NumberAnswer differences(const she::CompressedSlots& query,
                                         const KeywordList& keywords) const;

  // The products of so many differences each as the group has room for, one after the other: 0
  // where one of these keywords is in the slot. Requires single parts. Throws likewise.
  [[nodiscard]] NumberAnswer products(const she::CompressedSlots& query,
                                      const KeywordList& keywords) const;

 private:
  [[nodiscard]] std::vector<she::Slots> received(const she::CompressedSlots& query) const;
  [[nodiscard]] she::Slots difference(const she::Slots& x, std::uint64_t number) const;
  [[nodiscard]] she::Slots masked(const she::Slots& x) const;

  ParameterSet group_;
  KeywordParts parts_;
  she::Arithmetic arithmetic_;
};

}  // namespace fhe::private_search
