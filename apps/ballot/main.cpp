// SPDX-License-Identifier: Apache-2.0
// A vote of which only the tally is decrypted: all parties in one process.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/ballot/tally_server.hpp"
#include "apps/ballot/voter.hpp"
#include "apps/support/key_holder.hpp"
#include "apps/support/narrator.hpp"
#include "libfhe/error.hpp"

namespace {

using namespace fhe;
using namespace fhe::ballot;

constexpr std::size_t kMaxVoters = 256;

void require_valid(const std::string& votes) {
  if (votes.empty() || votes.size() > kMaxVoters) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a vote has 1 to {} voters, this one {}", kMaxVoters, votes.size()));
  }
  if (votes.find_first_not_of("yn") != std::string::npos) {
    throw Error(ErrorCode::invalid_argument, "a vote is a letter y (yes) or n (no) for each voter");
  }
}

std::vector<Ciphertext> cast_ballots(const std::string& votes, const PublicKey& key,
                                     const BackendPtr& backend) {
  std::vector<Ciphertext> ballots;
  for (const char vote : votes) ballots.push_back(cast_ballot(vote == 'y', key, backend));
  return ballots;
}

std::string outcome(std::uint64_t yes, std::uint64_t no) {
  if (yes == no) return "a tie";
  return yes > no ? "accepted" : "rejected";
}

bool run(const std::string& votes, const apps::Setting& setting) {
  require_valid(votes);
  apps::Narrator narrator("Ballot: secret votes, of which only the number of yes is opened.",
                          setting);
  const apps::KeyHolder authority =
      narrator.step("authority", "makes a key pair and publishes the public key",
                    [&] { return apps::KeyHolder(setting); });
  const std::vector<Ciphertext> ballots =
      narrator.step("voters", fmt::format("encrypt {} ballots, each its own", votes.size()),
                    [&] { return cast_ballots(votes, authority.public_key(), setting.backend); });
  const TallyServer server(authority.public_key(), setting.backend);
  const std::vector<Ciphertext> tally = narrator.step(
      "server", "counts the ballots without reading them", [&] { return server.tally(ballots); });
  const std::uint64_t yes =
      narrator.step("authority", fmt::format("decrypts the tally of {} bits", tally.size()),
                    [&] { return authority.decrypt(tally); });
  narrator.cost(server.counts());
  const std::uint64_t no = votes.size() - yes;
  return narrator.conclude(fmt::format("{} yes, {} no: {}", yes, no, outcome(yes, no)),
                           yes == static_cast<std::uint64_t>(std::ranges::count(votes, 'y')));
}

}  // namespace

int main(int argc, char** argv) {
  apps::Application application("ballot",
                                "Counts encrypted ballots; only the number of yes is decrypted.");
  std::string votes = "ynyynynyyynnyyn";
  application.options()
      .option("--votes", votes, "A letter y or n for each of 1 to 256 voters")
      .value_name("YN...")
      .shows_default();
  return application.run(argc, argv,
                         [&](const apps::Setting& setting) { return run(votes, setting); });
}
