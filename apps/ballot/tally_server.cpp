// SPDX-License-Identifier: Apache-2.0
#include "apps/ballot/tally_server.hpp"

#include "apps/support/encrypted.hpp"

namespace fhe::ballot {

std::vector<Ciphertext> TallyServer::tally(const std::vector<Ciphertext>& ballots) const {
  return popcount(apps::EncryptedNumber(evaluator_, ballots)).values();
}

std::vector<she::Slots> NumberTallyServer::tally(
    const std::vector<std::vector<she::Slots>>& ballots) const {
  std::vector<she::Slots> tally;
  for (std::size_t question = 0; question < ballots.front().size(); ++question) {
    std::vector<she::Slots> answers;
    answers.reserve(ballots.size());
    for (const auto& ballot : ballots) answers.push_back(ballot.at(question));
    tally.push_back(arithmetic_.sum(answers));
  }
  return tally;
}

}  // namespace fhe::ballot
