// SPDX-License-Identifier: Apache-2.0
// A comparison of two secret amounts: all parties in one process.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/credit_check/amount.hpp"
#include "apps/credit_check/number_amount.hpp"
#include "apps/credit_check/server.hpp"
#include "apps/support/application.hpp"
#include "apps/support/key_holder.hpp"
#include "apps/support/narrator.hpp"
#include "apps/support/slot_numbers.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/she/keys.hpp"

namespace {

using namespace fhe;
using namespace fhe::credit_check;

struct Options {
  std::vector<std::uint64_t> balances{4200};
  std::vector<std::uint64_t> limits{5000};
  std::vector<std::uint64_t> profiles;
  std::vector<std::int64_t> weights;
};

constexpr std::uint64_t kLargestTrait = 9;
constexpr std::int64_t kLargestWeight = 99;

// Who asks for customers, such as a branch: holds the secret key, and a customer in each slot.
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

NumberCustomers::NumberCustomers(const apps::Setting& setting)
    : key_(she::KeyGenerator(setting.parameters, setting.backend).generate()) {}

she::CompressedSlots NumberCustomers::encrypt_balances(
    const std::vector<std::uint64_t>& balances) const {
  const AmountDigits digits(she::Parameters(key_.group()));
  return she::Encryptor(key_).encrypt_compressed(digits.thresholds(balances));
}

she::CompressedSlots NumberCustomers::encrypt_profiles(const std::vector<std::uint64_t>& profiles,
                                                       std::size_t each) const {
  std::vector<she::SlotNumbers> rows(each);
  for (std::size_t k = 0; k < profiles.size(); ++k) rows[k % each].push_back(profiles[k]);
  return she::Encryptor(key_).encrypt_compressed(rows);
}

std::vector<bool> NumberCustomers::decrypt_decisions(const she::Slots& decisions) const {
  std::vector<bool> approved;
  for (const std::uint64_t number : she::Decryptor(key_).decrypt(decisions)) {
    approved.push_back(number != 0);
  }
  return approved;
}

std::vector<std::int64_t> NumberCustomers::decrypt_scores(const she::Slots& scores) const {
  const std::uint64_t modulus = she::Parameters(key_.group()).plaintext;
  std::vector<std::int64_t> numbers;
  for (const std::uint64_t number : she::Decryptor(key_).decrypt(scores)) {
    numbers.push_back(apps::centred(number, modulus));
  }
  return numbers;
}

// A decision for each customer, in a slot of its own.
void require_valid(const Options& options, std::size_t slots) {
  const std::size_t customers = options.balances.size();
  if (customers != options.limits.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} balances and {} limits: give one of each for every customer",
                            customers, options.limits.size()));
  }
  if (customers == 0 || customers > slots) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("these parameters compare 1 to {} balances at once, not {}", slots, customers));
  }
}

// Scores, where there are weights, must not pass half of the modulus.
void require_valid_scores(const Options& options, std::uint64_t modulus) {
  if (options.profiles.size() != options.weights.size() * options.balances.size()) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{} numbers in profiles, {} weights and {} customers: give a number "
                    "for each weight of each customer",
                    options.profiles.size(), options.weights.size(), options.balances.size()));
  }
  const std::uint64_t largest = options.weights.size() * kLargestTrait * kLargestWeight;
  if (2 * largest < modulus) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("scores of {} weights can reach {}: numbers modulo {} are too small",
                          options.weights.size(), largest, modulus));
}

std::string decisions_text(const std::vector<bool>& approved) {
  std::vector<std::string> texts;
  texts.reserve(approved.size());
  for (const bool decision : approved) texts.emplace_back(decision ? "approved" : "declined");
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<bool> plain_decisions(const Options& options) {
  std::vector<bool> approved;
  for (std::size_t k = 0; k < options.balances.size(); ++k) {
    approved.push_back(options.balances[k] <= options.limits[options.limits.size() == 1 ? 0 : k]);
  }
  return approved;
}

std::vector<bool> decisions(const apps::KeyHolder& arbiter, const Ciphertext& decision,
                            std::size_t customers) {
  std::vector<bool> approved;
  for (const std::uint64_t bit : arbiter.decrypt_slots({decision})) approved.push_back(bit != 0);
  approved.resize(customers);
  return approved;
}

bool run_on_bits(const Options& options, const apps::Setting& setting) {
  require_valid(options, apps::slots_of(setting));
  if (!options.weights.empty() || !options.profiles.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "scores are computed with numbers in slots: take a she group");
  }
  apps::Narrator narrator(
      "Credit check: a secret balance against a secret limit; only the decision is opened.",
      setting);
  const apps::KeyHolder arbiter =
      narrator.step("arbiter", "makes a key pair and publishes the public key",
                    [&] { return apps::KeyHolder(setting); });
  const EncryptedAmounts balance = narrator.step(
      "customer", fmt::format("encrypts the balance owed, {}", fmt::join(options.balances, ", ")),
      [&] { return encrypt_amounts(options.balances, arbiter.public_key(), setting.backend); });
  const EncryptedAmounts limit = narrator.step(
      "bank", fmt::format("encrypts the credit limit, {}", fmt::join(options.limits, ", ")),
      [&] { return encrypt_amounts(options.limits, arbiter.public_key(), setting.backend); });
  const DecisionServer server(arbiter.public_key(), setting.backend);
  const Ciphertext decision = narrator.step("server", "compares them without reading them",
                                            [&] { return server.within_limit(balance, limit); });
  const std::vector<bool> approved =
      narrator.step("arbiter", "decrypts the decision, one bit for each",
                    [&] { return decisions(arbiter, decision, options.balances.size()); });
  narrator.cost(server.counts());
  return narrator.conclude(decisions_text(approved), approved == plain_decisions(options));
}

std::vector<std::int64_t> plain_scores(const Options& options) {
  const std::size_t each = options.weights.size();
  std::vector<std::int64_t> scores(each == 0 ? 0 : options.balances.size());
  for (std::size_t k = 0; k < options.profiles.size(); ++k) {
    scores[k / each] += options.weights[k % each] * static_cast<std::int64_t>(options.profiles[k]);
  }
  return scores;
}

// One limit, since a public number is the same in all slots.
void require_valid_numbers(const Options& options, const she::Parameters& parameters) {
  const std::size_t customers = options.balances.size();
  if (options.limits.size() != 1 || customers == 0 || customers > parameters.slots) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} balances and {} limits: these parameters compare 1 to {} balances "
                            "with one limit",
                            customers, options.limits.size(), parameters.slots));
  }
  const AmountDigits digits(parameters);
  digits.require(options.limits.front());
  for (const std::uint64_t balance : options.balances) digits.require(balance);
  require_valid_scores(options, parameters.plaintext);
}

// What is sent and answered.
struct Exchange {
  she::CompressedSlots query;
  she::Slots answer;
};

Exchange exchange_balances(const Options& options, const NumberCustomers& customers,
                           const NumberServer& bank, apps::Narrator& narrator) {
  she::CompressedSlots query = narrator.step(
      "customers", fmt::format("encrypt what they owe, {}", fmt::join(options.balances, ", ")),
      [&] { return customers.encrypt_balances(options.balances); });
  she::Slots answer =
      narrator.step("bank", fmt::format("compares it with its limit {}", options.limits.front()),
                    [&] { return bank.within_limit(query, options.limits.front()); });
  return {std::move(query), std::move(answer)};
}

Exchange exchange_profiles(const Options& options, const NumberCustomers& customers,
                           const NumberServer& bank, apps::Narrator& narrator) {
  she::CompressedSlots query = narrator.step(
      "customers", fmt::format("encrypt profiles of {} numbers", options.weights.size()),
      [&] { return customers.encrypt_profiles(options.profiles, options.weights.size()); });
  she::Slots answer =
      narrator.step("bank", fmt::format("weighs them by {}", fmt::join(options.weights, ", ")),
                    [&] { return bank.score(query, options.weights); });
  return {std::move(query), std::move(answer)};
}

std::string scores_text(const std::vector<std::int64_t>& scores) {
  return scores.empty() ? "" : fmt::format("; scores {}", fmt::join(scores, ", "));
}

bool run_on_numbers(const Options& options, const apps::Setting& setting) {
  require_valid_numbers(options, she::Parameters(setting.parameters));
  apps::Narrator narrator("Credit check: a secret balance against a limit of the bank's.", setting);
  const NumberCustomers customers =
      narrator.step("customers", "make a secret key", [&] { return NumberCustomers(setting); });
  const NumberServer bank(setting.parameters, setting.backend);
  std::vector<Exchange> exchanges{exchange_balances(options, customers, bank, narrator)};
  if (!options.weights.empty()) {
    exchanges.push_back(exchange_profiles(options, customers, bank, narrator));
  }
  std::vector<bool> approved = narrator.step("customers", "decrypt the decision", [&] {
    return customers.decrypt_decisions(exchanges.front().answer);
  });
  approved.resize(options.balances.size());
  std::vector<std::int64_t> scores;
  if (exchanges.size() > 1) scores = customers.decrypt_scores(exchanges.back().answer);
  scores.resize(plain_scores(options).size());
  apps::SlotCosts costs{.products = setting.backend->counts().multiplications,
                        .shown = "the bank's limit and weights"};
  for (const Exchange& exchange : exchanges) {
    costs.query += apps::bytes_of(exchange.query);
    costs.answer += apps::bytes_of({exchange.answer});
  }
  narrator.cost(costs);
  return narrator.conclude(decisions_text(approved) + scores_text(scores),
                           approved == plain_decisions(options) && scores == plain_scores(options));
}

bool run(const Options& options, const apps::Setting& setting) {
  return apps::has_slot_numbers(setting) ? run_on_numbers(options, setting)
                                         : run_on_bits(options, setting);
}

}  // namespace

int main(int argc, char** argv) {
  apps::Application application(
      "fhe-credit-check",
      "Compares an encrypted balance with an encrypted limit; only the decision "
      "is decrypted.");
  Options options;
  const auto add_amounts = [&](const char* name, std::vector<std::uint64_t>& amounts,
                               const std::string& description) {
    application.options()
        .option(name, amounts,
                description + "; with a bdghv or she group one for each of many customers")
        .value_name("AMOUNT,...")
        .separated_by_commas()
        .decimal(kLargestAmount)
        .shows_default();
  };
  add_amounts("--balance", options.balances, "What the customer owes, below 2^32");
  add_amounts("--limit", options.limits, "Up to which the bank lends, below 2^32");
  const apps::Option weights =
      application.options()
          .option("--weights", options.weights,
                  "With a she group: the bank scores customers too, by numbers from -99 to 99")
          .value_name("W,...")
          .separated_by_commas()
          .in_range(-kLargestWeight, kLargestWeight);
  application.options()
      .option("--profiles", options.profiles,
              "Numbers from 0 to 9, one for each weight, of one customer after the other")
      .value_name("N,...")
      .separated_by_commas()
      .decimal(kLargestTrait)
      .needs(weights);
  return application.run(argc, argv,
                         [&](const apps::Setting& setting) { return run(options, setting); });
}
