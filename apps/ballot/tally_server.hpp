// SPDX-License-Identifier: Apache-2.0
// The server: counts ballots that it cannot read.
#pragma once

#include <vector>

#include "libfhe/gate/evaluator.hpp"

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

}  // namespace fhe::ballot
