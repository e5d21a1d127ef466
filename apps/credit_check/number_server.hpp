// SPDX-License-Identifier: Apache-2.0
// The bank: decides about customers whose numbers it cannot read. It has no key at all.
#pragma once

#include <cstdint>
#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/compressed_slots.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::credit_check {

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
