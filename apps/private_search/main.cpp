// SPDX-License-Identifier: Apache-2.0
// Keyword search on encrypted data: all parties in one process, each in its own object.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/private_search/client.hpp"
#include "apps/private_search/server.hpp"
#include "apps/support/narrator.hpp"
#include "libfhe/error.hpp"

namespace {

using namespace fhe;
using namespace fhe::private_search;

struct Options {
  KeywordList keywords{"cherry"};
  KeywordList list{"apple", "banana", "cherry", "damson", "elder", "fig", "grape", "hazel"};
  std::string encrypt = "keyword";
  std::string answer = "position";
};

std::optional<std::size_t> plain_search(const Options& options, const std::string& keyword) {
  const auto match = std::ranges::find(options.list, keyword);
  if (match == options.list.end()) return std::nullopt;
  return static_cast<std::size_t>(match - options.list.begin());
}

void require_valid(const Options& options, const apps::Setting& setting) {
  if (options.keywords.size() != 1 || options.answer != "position") {
    throw Error(ErrorCode::invalid_argument,
                "several keywords, and answers other than positions, need numbers in slots: take a "
                "she group");
  }
  static_cast<void>(keyword_bits(options.keywords.front()));
  require_valid_list(options.list, apps::slots_of(setting));
}

Answer search_by_encrypted_keyword(const Options& options, const Client& client,
                                   const Server& server, apps::Narrator& narrator) {
  const EncryptedKeyword query =
      narrator.step("client", fmt::format("encrypts its keyword '{}'", options.keywords.front()),
                    [&] { return client.encrypt(options.keywords.front()); });
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
  return narrator.step(
      "server",
      fmt::format("compares its keyword '{}' with each of them", options.keywords.front()),
      [&] { return server.search(options.keywords.front(), list); });
}

std::string where(const std::optional<std::size_t>& position) {
  return position ? fmt::format("found at position {}", *position + 1) : "not found";
}

bool run_on_bits(const Options& options, const apps::Setting& setting) {
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
  return narrator.conclude(where(position),
                           position == plain_search(options, options.keywords.front()));
}

// What is found out about each keyword, in words.
using Findings = std::vector<std::string>;

std::string membership(bool is_in) {
  return is_in ? "in the list" : "not in the list";
}

Findings plain_findings(const Options& options) {
  Findings findings;
  for (const std::string& keyword : options.keywords) {
    const std::optional<std::size_t> position = plain_search(options, keyword);
    findings.push_back(options.answer == "position" ? where(position)
                                                    : membership(position.has_value()));
  }
  return findings;
}

// The first that holds of each column.
Findings findings_of(const std::vector<std::vector<bool>>& holds, const Options& options) {
  Findings findings;
  for (std::size_t j = 0; j < options.keywords.size(); ++j) {
    std::optional<std::size_t> first;
    for (std::size_t k = holds.size(); k-- > 0;) {
      if (holds[k][j]) first = k;
    }
    findings.push_back(options.answer == "position" ? where(first) : membership(first.has_value()));
  }
  return findings;
}

std::string findings_text(const Findings& findings, const Options& options) {
  if (findings.size() == 1) return findings.front();
  std::vector<std::string> texts;
  for (std::size_t j = 0; j < findings.size(); ++j) {
    texts.push_back(fmt::format("'{}' {}", options.keywords[j], findings[j]));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

void require_valid_numbers(const Options& options, const she::Parameters& parameters) {
  require_valid_list(options.list, 1);
  require_valid_list(options.keywords, 1);
  const KeywordList& secret = options.encrypt == "keyword" ? options.keywords : options.list;
  if (secret.size() > parameters.slots) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} keywords in ciphertexts of {} slots: one for each at most",
                            secret.size(), parameters.slots));
  }
  if (options.answer == "membership" && options.encrypt == "list") {
    throw Error(ErrorCode::invalid_argument,
                "--answer membership multiplies differences from the server's list, which it must "
                "know");
  }
}

// Rows as columns.
std::vector<std::vector<bool>> turned(const std::vector<std::vector<bool>>& rows) {
  std::vector<std::vector<bool>> columns(rows.front().size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (const auto& row : rows) columns[j].push_back(row[j]);
  }
  return columns;
}

bool run_on_numbers(const Options& options, const apps::Setting& setting) {
  const she::Parameters parameters(setting.parameters);
  require_valid_numbers(options, parameters);
  const bool keyword_is_secret = options.encrypt == "keyword";
  const bool is_product = options.answer == "membership";
  const KeywordParts parts =
      is_product ? KeywordParts::single(parameters) : KeywordParts::whole(parameters);
  const KeywordList& secret = keyword_is_secret ? options.keywords : options.list;
  const KeywordList& open = keyword_is_secret ? options.list : options.keywords;
  for (const std::string& keyword : open) static_cast<void>(parts.of(keyword));
  for (const std::string& keyword : secret) static_cast<void>(parts.of(keyword));
  apps::Narrator narrator(keyword_is_secret
                              ? "Private search: secret keywords in a list of the server's."
                              : "Private search: keywords of the server's in a secret list.",
                          setting);
  const NumberClient client =
      narrator.step("client", "makes a secret key", [&] { return NumberClient(setting, parts); });
  const NumberServer server(setting.parameters, setting.backend, parts);
  const she::CompressedSlots query = narrator.step(
      "client",
      fmt::format("encrypts {} keywords, in {} ciphertexts", secret.size(), parts.count()),
      [&] { return client.encrypt(secret); });
  const NumberAnswer answer = narrator.step(
      "server",
      fmt::format("subtracts {} keywords{}", open.size(),
                  is_product ? " and multiplies the differences" : ""),
      [&] { return is_product ? server.products(query, open) : server.differences(query, open); });
  const std::vector<std::vector<bool>> holds =
      narrator.step("client", fmt::format("decrypts the answer to {} comparisons", answer.size()),
                    [&] { return client.decrypt(answer, secret.size()); });
  apps::SlotCosts costs{.products = setting.backend->counts().multiplications,
                        .query = apps::bytes_of(query),
                        .shown = "the server's keywords"};
  for (const auto& comparison : answer) costs.answer += apps::bytes_of(comparison);
  narrator.cost(costs);
  const Findings findings = findings_of(keyword_is_secret ? holds : turned(holds), options);
  return narrator.conclude(findings_text(findings, options), findings == plain_findings(options));
}

bool run(const Options& options, const apps::Setting& setting) {
  return apps::has_slot_numbers(setting) ? run_on_numbers(options, setting)
                                         : run_on_bits(options, setting);
}

}  // namespace

int main(int argc, char** argv) {
  apps::Application application(
      "fhe-private-search",
      "Finds a keyword in a list, of which one is encrypted; only the client reads the answer.");
  Options options;
  application.options()
      .option("--keyword", options.keywords,
              "1 to 8 of a-z, 0-9, '-', '_' and '.'; with a she group up to 64 such, separated by "
              "commas")
      .value_name("WORD,...")
      .separated_by_commas()
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
  application.options()
      .option("--answer", options.answer,
              "With a she group: where each keyword stands (position), or only whether it does "
              "(membership), for keywords of two characters modulo 65537")
      .value_name("WHAT")
      .one_of({"position", "membership"})
      .shows_default();
  return application.run(argc, argv,
                         [&](const apps::Setting& setting) { return run(options, setting); });
}
