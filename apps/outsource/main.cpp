// `fhe-outsource`: circuits on encrypted bits, computed by somebody else.
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/outsource/commands.hpp"

namespace {

using namespace fhe;

constexpr const char* kFooter =
    "Client and server on one machine:\n"
    "  fhe-outsource token alice --out alice.token\n"
    "  fhe-outsource serve --token-file alice.token --data server-data --circuits DIR\n"
    "  fhe-outsource submit --token-file alice.token --key keys/public.fhe --circuit add64.txt \\\n"
    "      --input a.fhe --input b.fhe --out sum.fhe\n\n"
    "Exit codes are those of `fhe`. `fhe-outsource VERB --help` explains a verb.";

int complain(const std::string& message, int code) {
  fmt::print(stderr, "fhe-outsource: error: {}\n", message);
  return code;
}

int run(CLI::App& program, int argc, const char* const* argv) {
  outsource::Action chosen;
  outsource::add_token_command(program, chosen);
  outsource::add_server_commands(program, chosen);
  outsource::add_client_commands(program, chosen);
  outsource::add_demo_command(program, chosen);
  program.parse(argc, argv);
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  cli::turn_write_signals_into_errors();
  CLI::App program("Has circuits computed on encrypted bits by a server that cannot read them.",
                   "fhe-outsource");
  program.require_subcommand(1);
  program.footer(kFooter);
  try {
    return run(program, argc, argv);
  } catch (const CLI::Success& request) {
    return program.exit(request);
  } catch (const CLI::ParseError& error) {
    return complain(cli::one_line(error.what()) + " (see --help)",
                    static_cast<int>(cli::ExitCode::usage));
  } catch (...) {
    const cli::Failure failure = cli::describe(std::current_exception());
    return complain(failure.message, static_cast<int>(failure.exit_code));
  }
}
