// SPDX-License-Identifier: Apache-2.0
#include "apps/credit_check/amount.hpp"

#include <utility>

#include <fmt/format.h>

#include "apps/support/sent_bits.hpp"
#include "libfhe/circuit/bits.hpp"
#include "libfhe/error.hpp"

namespace fhe::credit_check {

EncryptedAmounts encrypt_amounts(const std::vector<std::uint64_t>& amounts, const PublicKey& key,
                                 const BackendPtr& backend) {
  std::vector<std::vector<bool>> slots;
  for (const std::uint64_t amount : amounts) {
    if (amount > kLargestAmount) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("amount {} is larger than {}", amount, kLargestAmount));
    }
    slots.push_back(bits_of(amount, kAmountBits));
  }
  return Encryptor(key, backend).encrypt_slots(apps::rows_of(std::move(slots), key.slots()));
}

}  // namespace fhe::credit_check
