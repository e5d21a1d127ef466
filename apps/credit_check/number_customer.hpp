// SPDX-License-Identifier: Apache-2.0
// Who asks for customers, such as a branch: holds the secret key, and a customer in each slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/credit_check/number_amount.hpp"
#include "apps/support/application.hpp"
#include "libfhe/scheme/she/keys.hpp"

namespace fhe::credit_check {

class NumberCustomers {
 public:
  // Makes the secret key.
  explicit NumberCustomers(const apps::Setting& setting);

  // The threshold tables of what they owe.
  [[nodiscard]] she::CompressedSlots encrypt_balances(
      const std::vector<std::uint64_t>& balances) const;
  // Their profiles: row i has number i of each, so many numbers of each one after the other.
  [[nodiscard]] she::CompressedSlots encrypt_profiles(const std::vector<std::uint64_t>& profiles,
                                                      std::size_t each) const;

  // The decision for each customer, and the score.
  [[nodiscard]] std::vector<bool> decrypt_decisions(const she::Slots& decisions) const;
  [[nodiscard]] std::vector<std::int64_t> decrypt_scores(const she::Slots& scores) const;

 private:
  she::SecretKey key_;
};

}  // namespace fhe::credit_check
