// SPDX-License-Identifier: Apache-2.0
// The server: compares two amounts that it cannot read.
#pragma once

#include "apps/credit_check/amount.hpp"
#include "libfhe/gate/evaluator.hpp"

namespace fhe::credit_check {

class DecisionServer {
 public:
  // The arbiter's public key is all that it gets.
  DecisionServer(const PublicKey& key, const BackendPtr& backend) : evaluator_(key, backend) {}

  // Whether balance <= limit, encrypted, in each slot: one AND for each bit. Throws
  // Error(invalid_argument) when the amounts have different numbers of bits.
  [[nodiscard]] Ciphertext within_limit(const EncryptedAmounts& balance,
                                        const EncryptedAmounts& limit) const;

  [[nodiscard]] GateCounts counts() const { return evaluator_.counts(); }

 private:
  Evaluator evaluator_;
};

}  // namespace fhe::credit_check
