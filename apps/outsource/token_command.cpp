// SPDX-License-Identifier: Apache-2.0
// `fhe-outsource token`: a new client.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "apps/outsource/commands.hpp"
#include "apps/outsource/tokens.hpp"

namespace fhe::outsource {

void add_token_command(const apps::Command& program, Action& chosen) {
  struct Options {
    std::string name;
    std::string out;
  };
  const auto options = std::make_shared<Options>();
  const apps::Command command = program.command("token", "Make a token for a new client");
  command.option("NAME", options->name, "The client: 1 to 32 of a-z, 0-9 and '-'")
      .value_name("")
      .required();
  command.option("--out", options->out, "File for the client").value_name("FILE").required();
  command.end_help_with(
      "The server's token file is the files of all clients, one after the other.");
  command.when_chosen([&chosen, options] {
    chosen = [options] {
      save_credential(options->out, new_credential(options->name));
      fmt::print("{}: the token of {}, for it and for the server's token file\n", options->out,
                 options->name);
      return 0;
    };
  });
}

}  // namespace fhe::outsource
