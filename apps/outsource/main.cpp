// SPDX-License-Identifier: Apache-2.0
// `fhe-outsource`: circuits on encrypted bits, computed by somebody else.

#include "apps/outsource/commands.hpp"
#include "apps/support/interrupt.hpp"
#include "apps/support/program.hpp"

namespace {

using namespace fhe;

constexpr const char* kFooter =
    "Client and server on one machine:\n"
    "  fhe-outsource token alice --out alice.token\n"
    "  fhe-outsource serve --token-file alice.token --data server-data --circuits DIR\n"
    "  fhe-outsource submit --token-file alice.token --key keys/public.fhe --circuit add64.txt \\\n"
    "      --input a.fhe --input b.fhe --out sum.fhe\n\n"
    "Exit codes are those of `fhe`. `fhe-outsource VERB --help` explains a verb.";

}  // namespace

int main(int argc, char** argv) {
  apps::turn_write_signals_into_errors();
  apps::Arguments program(
      "fhe-outsource",
      "Has circuits computed on encrypted bits by a server that cannot read them.");
  program.require_command();
  program.end_help_with(kFooter);
  outsource::Action chosen;
  outsource::add_token_command(program, chosen);
  outsource::add_server_commands(program, chosen);
  outsource::add_client_commands(program, chosen);
  outsource::add_demo_command(program, chosen);
  return apps::run_program(program, argc, argv, [&chosen] { return chosen(); });
}
