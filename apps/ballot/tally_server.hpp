// SPDX-License-Identifier: Apache-2.0
// The server: counts ballots that it cannot read.
#pragma once

#include <vector>

#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::ballot {

class TallyServer {
 public:
  // The authority's public key is all that it gets.
  TallyServer(const PublicKey& key, const BackendPtr& backend) : evaluator_(key, backend) {}

  // The number of yes ballots to the question of each slot, as encrypted bits, the lowest first, as
  // many as the number of all ballots has. Less than one AND for each ballot.
  [[nodiscard]] std::vector<Ciphertext> tally(const std::vector<Ciphertext>& ballots) const;

  [[nodiscard]] GateCounts counts() const { return evaluator_.counts(); }

 private:
  Evaluator evaluator_;
};

// The same for ballots in numbers. It has no key at all.
class NumberTallyServer {
 public:
  NumberTallyServer(const ParameterSet& group, const BackendPtr& backend)
      : arithmetic_(group, backend) {}

  // The number of yes ballots to each question: sums of what was cast. Requires at least one
  // ballot, and as many answers in each. Throws as Arithmetic::sum.
  [[nodiscard]] std::vector<she::Slots> tally(
      const std::vector<std::vector<she::Slots>>& ballots) const;

 private:
  she::Arithmetic arithmetic_;
};

}  // namespace fhe::ballot
