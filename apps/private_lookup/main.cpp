// SPDX-License-Identifier: Apache-2.0
// Private retrieval from one server: all parties in one process, each in its own object.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/private_lookup/client.hpp"
#include "apps/private_lookup/server.hpp"
#include "apps/support/narrator.hpp"
#include "libfhe/error.hpp"

namespace {

using namespace fhe;
using namespace fhe::private_lookup;

struct Options {
  std::vector<std::uint64_t> entries{199, 250, 85, 120, 45, 310, 999, 15,
                                     640, 75,  5,  430, 88, 260, 512, 101};
  std::size_t tables = 1;
  std::vector<std::size_t> indices{6};
};

void require_valid(const Options& options, const LookupTables& tables, std::size_t slots) {
  for (const std::size_t index : options.indices) {
    if (index < tables.size()) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("index {} is past the end of the table: it has {} entries, from 0 on",
                            index, tables.size()));
  }
  const std::size_t lookups = std::max(options.indices.size(), tables.count());
  if (lookups > slots || options.indices.empty() ||
      (tables.count() > 1 && options.indices.size() > 1 &&
       options.indices.size() != tables.count())) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} indices for {} tables: these parameters look up 1 to {} entries at "
                            "once, each in its own table or all in one",
                            options.indices.size(), tables.count(), slots));
  }
}

// Look-up k; one index alone counts for all of them.
std::size_t index_of(const Options& options, std::size_t k) {
  return options.indices[options.indices.size() == 1 ? 0 : k];
}

// Each index in its table.
std::vector<std::uint64_t> plain_entries(const Options& options, const LookupTables& tables) {
  std::vector<std::uint64_t> entries;
  for (std::size_t k = 0; k < std::max(options.indices.size(), tables.count()); ++k) {
    entries.push_back(tables.padded(tables.count() == 1 ? 0 : k)[index_of(options, k)]);
  }
  return entries;
}

std::string result_text(const Options& options, const std::vector<std::uint64_t>& entries) {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    texts.push_back(fmt::format("entry {} is {}", index_of(options, k), entries[k]));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

bool run_on_bits(const Options& options, const LookupTables& tables, const apps::Setting& setting) {
  require_valid(options, tables, apps::slots_of(setting));
  apps::Narrator narrator("Private lookup: an entry of a public table, at a secret index.",
                          setting);
  const Client client = narrator.step("client", "makes a key pair and publishes the public key",
                                      [&] { return Client(setting); });
  const apps::SentBits query = narrator.step(
      "client", fmt::format("encrypts its index {}", fmt::join(options.indices, ", ")),
      [&] { return client.encrypt_indices(options.indices, tables.index_width()); });
  const Server server(client.public_key(), setting.backend, tables);
  const std::vector<Ciphertext> answer = narrator.step(
      "server",
      tables.count() == 1
          ? fmt::format("computes the entry from its table of {} entries", tables.size())
          : fmt::format("computes an entry of each of its {} tables of {} entries", tables.count(),
                        tables.size()),
      [&] { return server.look_up(query); });
  std::vector<std::uint64_t> entries =
      narrator.step("client", "decrypts the answer", [&] { return client.decrypt(answer); });
  const std::vector<std::uint64_t> expected = plain_entries(options, tables);
  entries.resize(expected.size());
  narrator.cost(server.counts());
  return narrator.conclude(result_text(options, entries), entries == expected);
}

// Look-ups with numbers in slots: all in one table, since a public number is the same in all slots.
bool run_on_numbers(const Options& options, const LookupTables& tables,
                    const apps::Setting& setting) {
  if (tables.count() > 1) {
    throw Error(ErrorCode::invalid_argument,
                "look-ups with numbers in slots are in one table: --tables is for bdghv groups");
  }
  require_valid(options, tables, she::Parameters(setting.parameters).slots);
  const NumberPlan plan(setting.parameters, tables.size(), tables.entry_width());
  apps::Narrator narrator("Private lookup: an entry of a public table, at a secret index.",
                          setting);
  const NumberClient client =
      narrator.step("client", "makes a secret key", [&] { return NumberClient(setting, plan); });
  const she::CompressedSlots query =
      narrator.step("client",
                    fmt::format("encrypts its index {} as a choice among {} columns and {} rows",
                                fmt::join(options.indices, ", "), plan.columns(), plan.rows()),
                    [&] { return client.encrypt_indices(options.indices); });
  const NumberServer server(setting.parameters, setting.backend, plan, options.entries);
  const std::vector<she::Slots> answer =
      narrator.step("server",
                    fmt::format("adds up its table of {} entries, in digits of {} bits",
                                tables.size(), plan.digit_bits()),
                    [&] { return server.look_up(query); });
  std::vector<std::uint64_t> entries =
      narrator.step("client", "decrypts the answer", [&] { return client.decrypt(answer); });
  const std::vector<std::uint64_t> expected = plain_entries(options, tables);
  entries.resize(expected.size());
  narrator.cost({.products = setting.backend->counts().multiplications,
                 .query = apps::bytes_of(query),
                 .answer = apps::bytes_of(answer),
                 .shown = "the server's table"});
  return narrator.conclude(result_text(options, entries), entries == expected);
}

bool run(const Options& options, const apps::Setting& setting) {
  const LookupTables tables(options.entries, options.tables);
  return apps::has_slot_numbers(setting) ? run_on_numbers(options, tables, setting)
                                         : run_on_bits(options, tables, setting);
}

}  // namespace

int main(int argc, char** argv) {
  apps::Application application(
      "fhe-private-lookup", "Reads an entry of a server's table; the server does not learn which.");
  Options options;
  application.options()
      .option(
          "--index", options.indices,
          "Which entry, counted from 0; with a bdghv or she group one for each of many look-ups")
      .value_name("N,...")
      .separated_by_commas()
      .decimal()
      .shows_default();
  application.options()
      .option("--tables", options.tables,
              "With a bdghv group: cut the numbers of --table into so many tables of one size, one "
              "for each index")
      .value_name("N")
      .decimal()
      .shows_default();
  application.options()
      .option("--table", options.entries, "2 to 256 numbers below 2^64, separated by commas")
      .value_name("N,...")
      .separated_by_commas()
      .decimal()
      .shows_default();
  return application.run(argc, argv,
                         [&](const apps::Setting& setting) { return run(options, setting); });
}
