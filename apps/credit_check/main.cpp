// SPDX-License-Identifier: Apache-2.0
// A comparison of two secret amounts: all parties in one process.
#include <cstdint>

#include <fmt/format.h>

#include "apps/credit_check/amount.hpp"
#include "apps/credit_check/decision_server.hpp"
#include "apps/support/key_holder.hpp"
#include "apps/support/narrator.hpp"

namespace {

using namespace fhe;
using namespace fhe::credit_check;

struct Options {
  std::uint64_t balance = 4200;
  std::uint64_t limit = 5000;
};

bool run(const Options& options, const apps::Setting& setting) {
  apps::Narrator narrator(
      "Credit check: a secret balance against a secret limit; only the decision is opened.",
      setting);
  const apps::KeyHolder arbiter =
      narrator.step("arbiter", "makes a key pair and publishes the public key",
                    [&] { return apps::KeyHolder(setting); });
  const EncryptedAmount balance = narrator.step(
      "customer", fmt::format("encrypts the balance owed, {}", options.balance),
      [&] { return encrypt_amount(options.balance, arbiter.public_key(), setting.backend); });
  const EncryptedAmount limit = narrator.step(
      "bank", fmt::format("encrypts the credit limit, {}", options.limit),
      [&] { return encrypt_amount(options.limit, arbiter.public_key(), setting.backend); });
  const DecisionServer server(arbiter.public_key(), setting.backend);
  const Ciphertext decision = narrator.step("server", "compares them without reading them",
                                            [&] { return server.within_limit(balance, limit); });
  const bool approved = narrator.step("arbiter", "decrypts the decision, one bit",
                                      [&] { return arbiter.decrypt(decision); });
  narrator.cost(server.counts());
  return narrator.conclude(approved ? "approved" : "declined",
                           approved == (options.balance <= options.limit));
}

}  // namespace

int main(int argc, char** argv) {
  apps::Application application(
      "credit_check",
      "Compares an encrypted balance with an encrypted limit; only the decision "
      "is decrypted.");
  Options options;
  const auto add_amount = [&](const char* name, std::uint64_t& amount, const char* description) {
    application.options()
        .option(name, amount, description)
        .value_name("AMOUNT")
        .decimal(kLargestAmount)
        .shows_default();
  };
  add_amount("--balance", options.balance, "What the customer owes, below 2^32");
  add_amount("--limit", options.limit, "Up to which the bank lends, below 2^32");
  return application.run(argc, argv,
                         [&](const apps::Setting& setting) { return run(options, setting); });
}
