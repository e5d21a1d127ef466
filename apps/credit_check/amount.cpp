// SPDX-License-Identifier: Apache-2.0
#include "apps/credit_check/amount.hpp"

#include <fmt/format.h>

#include "libfhe/circuit/bits.hpp"
#include "libfhe/error.hpp"

namespace fhe::credit_check {

EncryptedAmount encrypt_amount(std::uint64_t amount, const PublicKey& key,
                               const BackendPtr& backend) {
  if (amount > kLargestAmount) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("amount {} is larger than {}", amount, kLargestAmount));
  }
  return Encryptor(key, backend).encrypt(bits_of(amount, kAmountBits));
}

}  // namespace fhe::credit_check
