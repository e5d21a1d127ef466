// SPDX-License-Identifier: Apache-2.0
// A comparison of two secret amounts: all parties in one process.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/credit_check/amount.hpp"
#include "apps/credit_check/decision_server.hpp"
#include "apps/support/key_holder.hpp"
#include "apps/support/narrator.hpp"
#include "libfhe/error.hpp"

namespace {

using namespace fhe;
using namespace fhe::credit_check;

struct Options {
  std::vector<std::uint64_t> balances{4200};
  std::vector<std::uint64_t> limits{5000};
};

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

std::string decisions_text(const std::vector<bool>& approved) {
  std::vector<std::string> texts;
  texts.reserve(approved.size());
  for (const bool decision : approved) texts.emplace_back(decision ? "approved" : "declined");
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<bool> plain_decisions(const Options& options) {
  std::vector<bool> approved;
  for (std::size_t k = 0; k < options.balances.size(); ++k) {
    approved.push_back(options.balances[k] <= options.limits[k]);
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

bool run(const Options& options, const apps::Setting& setting) {
  require_valid(options, apps::slots_of(setting));
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
        .option(name, amounts, description + "; with a bdghv group one for each of many customers")
        .value_name("AMOUNT,...")
        .separated_by_commas()
        .decimal(kLargestAmount)
        .shows_default();
  };
  add_amounts("--balance", options.balances, "What the customer owes, below 2^32");
  add_amounts("--limit", options.limits, "Up to which the bank lends, below 2^32");
  return application.run(argc, argv,
                         [&](const apps::Setting& setting) { return run(options, setting); });
}
