// SPDX-License-Identifier: Apache-2.0
#include "apps/credit_check/server.hpp"
#include "apps/support/encrypted.hpp"

namespace fhe::credit_check {

Ciphertext DecisionServer::within_limit(const EncryptedAmounts& balance,
                                        const EncryptedAmounts& limit) const {
  using apps::EncryptedNumber;
  return (EncryptedNumber(evaluator_, balance) <= EncryptedNumber(evaluator_, limit)).value();
}

}  // namespace fhe::credit_check
