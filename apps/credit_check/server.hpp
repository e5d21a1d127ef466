// SPDX-License-Identifier: Apache-2.0
// The servers: compare amounts that they cannot read.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/credit_check/amount.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/compressed_slots.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::credit_check {

// The server: compares two amounts that it cannot read.
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

// The bank: decides about customers whose numbers it cannot read. It has no key at all.
class NumberServer {
 public:
  NumberServer(const ParameterSet& group, const BackendPtr& backend);

  // 1 in each slot whose balance is at most the limit, and 0 in the others, from threshold tables:
  // a product for each digit but the lowest. Throws Error(invalid_argument) for tables of another
  // size and for a limit of more digits.
  [[nodiscard]] she::Slots within_limit(const she::CompressedSlots& balances,
                                        std::uint64_t limit) const;

  // The inner product of each profile with the weights. Throws as Arithmetic::weighted_sum.
  [[nodiscard]] she::Slots score(const she::CompressedSlots& profiles,
                                 const std::vector<std::int64_t>& weights) const;

 private:
  ParameterSet group_;
  she::Arithmetic arithmetic_;
};

}  // namespace fhe::credit_check
