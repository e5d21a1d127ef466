// SPDX-License-Identifier: Apache-2.0
// The server of searches with numbers in slots: compares keywords that it cannot read with keywords
// that it knows. It has no key at all.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/private_search/messages.hpp"
#include "apps/private_search/number_keyword.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/compressed_slots.hpp"

namespace fhe::private_search {

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
