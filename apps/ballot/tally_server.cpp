// SPDX-License-Identifier: Apache-2.0
#include "apps/ballot/tally_server.hpp"

#include "apps/support/encrypted.hpp"

namespace fhe::ballot {

std::vector<Ciphertext> TallyServer::tally(const std::vector<Ciphertext>& ballots) const {
  return popcount(apps::EncryptedNumber(evaluator_, ballots)).values();
}

}  // namespace fhe::ballot
