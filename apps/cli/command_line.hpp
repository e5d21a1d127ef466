// The commands, their options, and the way from the command line to an exit code.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "apps/cli/output.hpp"
#include "apps/cli/session.hpp"
#include "apps/support/program.hpp"

namespace fhe::cli {

class CommandLine {
 public:
  using Action = std::function<Report(Session&)>;

  CommandLine();

  // A command that does `action`. Its help ends with `example`.
  CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description,
                        const std::string& example, Action action);

  // A word that only groups the commands behind it, as in `fhe params list`.
  CLI::App& add_group(const std::string& name, const std::string& description,
                      const std::string& example);

  // The options --backend and --threads.
  void add_computing_options(CLI::App& command);

  // The options --max-file-bytes and --max-ciphertexts, for commands that read or write files.
  void add_limit_options(CLI::App& command);

  [[nodiscard]] CLI::App& root() { return root_; }
  [[nodiscard]] const CommonOptions& common() const { return common_; }

  // Throws CLI::ParseError, also for --help and --version.
  void parse(int argc, const char* const* argv) { apps::parse_arguments(root_, argc, argv); }

  // The action of the command that was parsed.
  [[nodiscard]] const Action& action() const { return chosen_; }

 private:
  CLI::App root_;
  CommonOptions common_;
  Action chosen_;
};

// All commands of the tool.
void add_all_commands(CommandLine& line);

// Each adds its commands; see the file of the same name.
void add_list_commands(CommandLine& line);
void add_keygen_command(CommandLine& line);
void add_passwd_command(CommandLine& line);
void add_check_command(CommandLine& line);
void add_encrypt_command(CommandLine& line);
void add_eval_command(CommandLine& line);
void add_run_command(CommandLine& line);
void add_circuit_commands(CommandLine& line);
void add_recrypt_command(CommandLine& line);
void add_decrypt_command(CommandLine& line);
void add_inspect_command(CommandLine& line);

// The whole program. Lets no exception out.
int run(int argc, const char* const* argv) noexcept;

}  // namespace fhe::cli
