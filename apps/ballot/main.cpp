// SPDX-License-Identifier: Apache-2.0
// A vote of which only the tally is decrypted: all parties in one process.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/ballot/tally_server.hpp"
#include "apps/support/application.hpp"
#include "apps/support/key_holder.hpp"
#include "apps/support/narrator.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/she/public_key.hpp"

namespace {

using namespace fhe;
using namespace fhe::ballot;

constexpr std::size_t kMaxVoters = 256;
constexpr std::size_t kMaxNumberedQuestions = 16;

// The votes on one question: a letter for each voter.
using Votes = std::string;

Error misuse(const std::string& what) {
  return {ErrorCode::invalid_argument, what};
}

void require_valid(const Votes& votes) {
  if (votes.empty() || votes.size() > kMaxVoters) {
    throw misuse(fmt::format("a vote has 1 to {} voters, this one {}", kMaxVoters, votes.size()));
  }
  if (votes.find_first_not_of("yn") != std::string::npos) {
    throw misuse("a vote is a letter y (yes) or n (no) for each voter");
  }
}

void require_valid(const std::vector<Votes>& questions, std::size_t slots) {
  if (questions.empty() || questions.size() > slots) {
    throw misuse(fmt::format("a ballot of these parameters has room for 1 to {} questions, not {}",
                             slots, questions.size()));
  }
  for (const Votes& votes : questions) {
    require_valid(votes);
    if (votes.size() == questions.front().size()) continue;
    throw misuse(fmt::format("{} voters and {}: all questions are asked of the same ones",
                             questions.front().size(), votes.size()));
  }
}

// A voter: encrypts the answers to the questions that are asked together to the authority's public
// key, one in each slot: 1 is yes. Nobody but the authority could read it, the voter included.
// Requires key.slots() answers.
Ciphertext cast_ballot(const SlotBits& answers, const PublicKey& key, const BackendPtr& backend) {
  return Encryptor(key, backend).encrypt_slots(answers);
}

// The same as numbers, 1 for yes and 0 for no: a ciphertext for each question.
std::vector<she::Slots> cast_ballot(const std::vector<std::uint64_t>& answers,
                                    const she::PublicKey& key, const BackendPtr& backend) {
  return she::PublicEncryptor(key, backend).encrypt_all(answers);
}

// The authority of a ballot in numbers: holds the secret key.
class NumberAuthority {
 public:
  // Makes a key pair. Throws Error(invalid_parameters) for a group without public keys.
  explicit NumberAuthority(const apps::Setting& setting);

  // What voters get.
  [[nodiscard]] const she::PublicKey& public_key() const { return keys_.public_key; }

  // The number of yes votes to each question.
  [[nodiscard]] std::vector<std::uint64_t> decrypt(const std::vector<she::Slots>& tally) const;

 private:
  she::KeyPair keys_;
};

NumberAuthority::NumberAuthority(const apps::Setting& setting)
    : keys_(she::KeyGenerator(setting.parameters, setting.backend).generate_pair()) {}

std::vector<std::uint64_t> NumberAuthority::decrypt(const std::vector<she::Slots>& tally) const {
  std::vector<std::uint64_t> yes;
  for (const she::SlotNumbers& numbers : she::Decryptor(keys_.secret_key).decrypt_all(tally)) {
    yes.push_back(numbers.front());
  }
  return yes;
}

std::vector<Ciphertext> cast_ballots(const std::vector<Votes>& questions, const PublicKey& key,
                                     const BackendPtr& backend) {
  std::vector<Ciphertext> ballots;
  for (std::size_t voter = 0; voter < questions.front().size(); ++voter) {
    SlotBits answers(key.slots());
    for (std::size_t q = 0; q < questions.size(); ++q) answers[q] = questions[q][voter] == 'y';
    ballots.push_back(cast_ballot(answers, key, backend));
  }
  return ballots;
}

std::string outcome(std::uint64_t yes, std::uint64_t no) {
  if (yes == no) return "a tie";
  return yes > no ? "accepted" : "rejected";
}

// "9 yes, 6 no: accepted" for each question.
std::string result_text(const std::vector<std::uint64_t>& yes, std::size_t voters) {
  std::vector<std::string> texts;
  for (const std::uint64_t count : yes) {
    const std::uint64_t no = voters - count;
    texts.push_back(fmt::format("{} yes, {} no: {}", count, no, outcome(count, no)));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::vector<std::uint64_t> plain_tally(const std::vector<Votes>& questions) {
  std::vector<std::uint64_t> yes;
  yes.reserve(questions.size());
  for (const Votes& votes : questions) {
    yes.push_back(static_cast<std::uint64_t>(std::ranges::count(votes, 'y')));
  }
  return yes;
}

std::string about_ballots(const std::vector<Votes>& questions) {
  const std::size_t voters = questions.front().size();
  return questions.size() == 1 ? fmt::format("encrypt {} ballots, each its own", voters)
                               : fmt::format("encrypt {} ballots, each its own, on {} questions",
                                             voters, questions.size());
}

bool run_on_bits(const std::vector<Votes>& questions, const apps::Setting& setting) {
  require_valid(questions, apps::slots_of(setting));
  const std::size_t voters = questions.front().size();
  apps::Narrator narrator("Ballot: secret votes, of which only the number of yes is opened.",
                          setting);
  const apps::KeyHolder authority =
      narrator.step("authority", "makes a key pair and publishes the public key",
                    [&] { return apps::KeyHolder(setting); });
  const std::vector<Ciphertext> ballots = narrator.step("voters", about_ballots(questions), [&] {
    return cast_ballots(questions, authority.public_key(), setting.backend);
  });
  const TallyServer server(authority.public_key(), setting.backend);
  const std::vector<Ciphertext> tally = narrator.step(
      "server", "counts the ballots without reading them", [&] { return server.tally(ballots); });
  std::vector<std::uint64_t> yes =
      narrator.step("authority", fmt::format("decrypts the tally of {} bits", tally.size()),
                    [&] { return authority.decrypt_slots(tally); });
  yes.resize(questions.size());
  narrator.cost(server.counts());
  return narrator.conclude(result_text(yes, voters), yes == plain_tally(questions));
}

using NumberBallots = std::vector<std::vector<she::Slots>>;

NumberBallots cast_number_ballots(const std::vector<Votes>& questions, const she::PublicKey& key,
                                  const BackendPtr& backend) {
  NumberBallots ballots;
  for (std::size_t voter = 0; voter < questions.front().size(); ++voter) {
    std::vector<std::uint64_t> answers;
    answers.reserve(questions.size());
    for (const Votes& votes : questions) answers.push_back(votes[voter] == 'y' ? 1 : 0);
    ballots.push_back(cast_ballot(answers, key, backend));
  }
  return ballots;
}

std::uint64_t bytes_of_ballots(const NumberBallots& ballots) {
  std::uint64_t bytes = 0;
  for (const auto& ballot : ballots) bytes += apps::bytes_of(ballot);
  return bytes;
}

// Votes as numbers, which the server adds up. A counter must not pass the modulus.
bool run_on_numbers(const std::vector<Votes>& questions, const apps::Setting& setting) {
  require_valid(questions, kMaxNumberedQuestions);
  if (questions.front().size() >= she::Parameters(setting.parameters).plaintext) {
    throw misuse(fmt::format("{} voters are more than numbers of the group '{}' count",
                             questions.front().size(), setting.parameters.name()));
  }
  apps::Narrator narrator("Ballot: secret votes, of which only the number of yes is opened.",
                          setting);
  const NumberAuthority authority =
      narrator.step("authority", "makes a key pair and publishes the public key",
                    [&] { return NumberAuthority(setting); });
  const NumberBallots ballots = narrator.step("voters", about_ballots(questions), [&] {
    return cast_number_ballots(questions, authority.public_key(), setting.backend);
  });
  const NumberTallyServer server(setting.parameters, setting.backend);
  const std::vector<she::Slots> tally = narrator.step(
      "server", "adds the ballots up without reading them", [&] { return server.tally(ballots); });
  const std::vector<std::uint64_t> yes =
      narrator.step("authority", fmt::format("decrypts {} sums", tally.size()),
                    [&] { return authority.decrypt(tally); });
  narrator.cost({.products = 0,
                 .query = bytes_of_ballots(ballots),
                 .answer = apps::bytes_of(tally),
                 .shown = "which ballots were added up"});
  return narrator.conclude(result_text(yes, questions.front().size()),
                           yes == plain_tally(questions));
}

bool run(const std::vector<Votes>& questions, const apps::Setting& setting) {
  return apps::has_slot_numbers(setting) ? run_on_numbers(questions, setting)
                                         : run_on_bits(questions, setting);
}

}  // namespace

int main(int argc, char** argv) {
  apps::Application application("fhe-ballot",
                                "Counts encrypted ballots; only the number of yes is decrypted.");
  std::vector<Votes> questions{"ynyynynyyynnyyn"};
  application.options()
      .option("--votes", questions,
              "A letter y or n for each of 1 to 256 voters; with a bdghv or she group several "
              "such, separated by commas: the votes on one question after the other")
      .value_name("YN...,...")
      .separated_by_commas()
      .shows_default();
  return application.run(argc, argv,
                         [&](const apps::Setting& setting) { return run(questions, setting); });
}
