// SPDX-License-Identifier: Apache-2.0
// Private retrieval from one server: all parties in one process, each in its own object.
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "apps/private_lookup/client.hpp"
#include "apps/private_lookup/server.hpp"
#include "apps/support/narrator.hpp"
#include "libfhe/error.hpp"

namespace {

using namespace fhe;
using namespace fhe::private_lookup;

struct Options {
  std::vector<std::uint64_t> table{199, 250, 85, 120, 45, 310, 999, 15,
                                   640, 75,  5,  430, 88, 260, 512, 101};
  std::size_t index = 6;
};

bool run(const Options& options, const apps::Setting& setting) {
  const LookupTable table(options.table);
  if (options.index >= table.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("index {} is past the end of the table: it has {} entries, from 0 on",
                            options.index, table.size()));
  }
  apps::Narrator narrator("Private lookup: an entry of a public table, at a secret index.",
                          setting);
  const Client client = narrator.step("client", "makes a key pair and publishes the public key",
                                      [&] { return Client(setting); });
  const apps::SentBits query =
      narrator.step("client", fmt::format("encrypts its index {}", options.index),
                    [&] { return client.encrypt_index(options.index, table.index_width()); });
  const Server server(client.public_key(), setting.backend, table);
  const std::vector<Ciphertext> answer = narrator.step(
      "server", fmt::format("computes the entry from its table of {} entries", table.size()),
      [&] { return server.look_up(query); });
  const std::uint64_t entry =
      narrator.step("client", "decrypts the answer", [&] { return client.decrypt(answer); });
  narrator.cost(server.counts());
  return narrator.conclude(fmt::format("entry {} is {}", options.index, entry),
                           entry == options.table.at(options.index));
}

}  // namespace

int main(int argc, char** argv) {
  apps::Application application(
      "private_lookup", "Reads an entry of a server's table; the server does not learn which.");
  Options options;
  application.options()
      .option("--index", options.index, "Which entry, counted from 0")
      .value_name("N")
      .decimal()
      .shows_default();
  application.options()
      .option("--table", options.table, "2 to 256 numbers below 2^64, separated by commas")
      .value_name("N,...")
      .separated_by_commas()
      .decimal()
      .shows_default();
  return application.run(argc, argv,
                         [&](const apps::Setting& setting) { return run(options, setting); });
}
