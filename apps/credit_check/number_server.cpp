// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "apps/credit_check/number_amount.hpp"
#include "apps/credit_check/server.hpp"
#include "libfhe/error.hpp"

namespace fhe::credit_check {

NumberServer::NumberServer(const ParameterSet& group, const BackendPtr& backend)
    : group_(group), arithmetic_(group, backend) {}

// From the lowest digit up: an amount is within the limit when its highest digit is less, or is the
// same and the rest is within the rest.
she::Slots NumberServer::within_limit(const she::CompressedSlots& balances,
                                      std::uint64_t limit) const {
  const AmountDigits digits(arithmetic_.parameters());
  digits.require(limit);
  if (balances.size() != digits.count() * digits.values()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("threshold tables of {} ciphertexts: these parameters compare amounts "
                            "by {} of them",
                            balances.size(), digits.count() * digits.values()));
  }
  const std::vector<she::Slots> tables = balances.expand(group_);
  she::Slots within = tables[digits.digit(limit, 0)];
  for (std::size_t i = 1; i < digits.count(); ++i) {
    const std::size_t own = digits.digit(limit, i);
    const she::Slots& at_most = tables[i * digits.values() + own];
    if (own == 0) {
      within = arithmetic_.multiply(at_most, within);
      continue;
    }
    const she::Slots& less = tables[i * digits.values() + own - 1];
    within =
        arithmetic_.add(less, arithmetic_.multiply(arithmetic_.subtract(at_most, less), within));
  }
  return within;
}

she::Slots NumberServer::score(const she::CompressedSlots& profiles,
                               const std::vector<std::int64_t>& weights) const {
  return arithmetic_.weighted_sum(profiles.expand(group_), weights);
}

}  // namespace fhe::credit_check
