// SPDX-License-Identifier: Apache-2.0
// Keyword search on encrypted data: all parties in one process, each in its own object.
#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "apps/private_search/client.hpp"
#include "apps/private_search/server.hpp"
#include "apps/support/narrator.hpp"

namespace {

using namespace fhe;
using namespace fhe::private_search;

struct Options {
  std::string keyword = "cherry";
  KeywordList list{"apple", "banana", "cherry", "damson", "elder", "fig", "grape", "hazel"};
  std::string encrypt = "keyword";
};

std::optional<std::size_t> plain_search(const Options& options) {
  const auto match = std::ranges::find(options.list, options.keyword);
  if (match == options.list.end()) return std::nullopt;
  return static_cast<std::size_t>(match - options.list.begin());
}

void require_valid(const Options& options, const apps::Setting& setting) {
  static_cast<void>(keyword_bits(options.keyword));
  require_valid_list(options.list, apps::slots_of(setting));
}

Answer search_by_encrypted_keyword(const Options& options, const Client& client,
                                   const Server& server, apps::Narrator& narrator) {
  const EncryptedKeyword query =
      narrator.step("client", fmt::format("encrypts its keyword '{}'", options.keyword),
                    [&] { return client.encrypt(options.keyword); });
  return narrator.step(
      "server",
      fmt::format("compares {} ciphertexts, sent in {} bytes, with its {} keywords",
                  apps::count_of(query), apps::bytes_of(query, client.public_key()),
                  options.list.size()),
      [&] { return server.search(query, options.list); });
}

Answer search_in_encrypted_list(const Options& options, const Client& client, const Server& server,
                                apps::Narrator& narrator) {
  const auto list =
      narrator.step("client", fmt::format("encrypts its list of {} keywords", options.list.size()),
                    [&] { return client.encrypt(options.list); });
  return narrator.step("server",
                       fmt::format("compares its keyword '{}' with each of them", options.keyword),
                       [&] { return server.search(options.keyword, list); });
}

bool run(const Options& options, const apps::Setting& setting) {
  require_valid(options, setting);
  const bool keyword_is_secret = options.encrypt == "keyword";
  apps::Narrator narrator(keyword_is_secret
                              ? "Private search: a secret keyword in a list of the server's."
                              : "Private search: a keyword of the server's in a secret list.",
                          setting);
  const Client client = narrator.step("client", "makes a key pair and publishes the public key",
                                      [&] { return Client(setting); });
  const Server server(client.public_key(), setting.backend);
  const Answer answer = keyword_is_secret
                            ? search_by_encrypted_keyword(options, client, server, narrator)
                            : search_in_encrypted_list(options, client, server, narrator);
  const std::optional<std::size_t> position =
      narrator.step("client", "decrypts the answer", [&] { return client.decrypt(answer); });
  narrator.cost(server.counts());
  return narrator.conclude(
      position ? fmt::format("found at position {}", *position + 1) : "not found",
      position == plain_search(options));
}

}  // namespace

int main(int argc, char** argv) {
  apps::Application application(
      "fhe-private-search",
      "Finds a keyword in a list, of which one is encrypted; only the client reads the answer.");
  Options options;
  application.options()
      .option("--keyword", options.keyword, "1 to 8 of a-z, 0-9, '-', '_' and '.'")
      .value_name("WORD")
      .shows_default();
  application.options()
      .option(
          "--list", options.list,
          "1 to 64 different keywords, separated by commas; with a bdghv group 64 for each slot, "
          "which are compared side by side")
      .value_name("WORD,...")
      .separated_by_commas()
      .shows_default();
  application.options()
      .option("--encrypt", options.encrypt, "What the client keeps secret: keyword or list")
      .value_name("WHAT")
      .one_of({"keyword", "list"})
      .shows_default();
  return application.run(argc, argv,
                         [&](const apps::Setting& setting) { return run(options, setting); });
}
