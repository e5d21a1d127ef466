// SPDX-License-Identifier: Apache-2.0
// The commands, their options, and the way from the command line to an exit code.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "apps/cli/output.hpp"
#include "apps/cli/session.hpp"
#include "apps/support/arguments.hpp"

namespace fhe::cli {

class CommandLine {
 public:
  using Action = std::function<Report(Session&)>;

  CommandLine();

  // A command that does `action`. Its help ends with `example`.
  apps::Command add_command(const apps::Command& parent, const std::string& name,
                            const std::string& description, const std::string& example,
                            Action action);

  // A word that only groups the commands behind it, as in `fhe params list`.
  apps::Command add_group(const std::string& name, const std::string& description,
                          const std::string& example);

  // The options --backend and --threads.
  void add_computing_options(const apps::Command& command);

  // The options --max-file-bytes and --max-ciphertexts, for commands that read or write files.
  void add_limit_options(const apps::Command& command);

  [[nodiscard]] const apps::Command& root() const { return root_; }
  [[nodiscard]] const CommonOptions& common() const { return common_; }

  // As Arguments::parse.
  std::optional<std::string> parse(int argc, const char* const* argv) {
    return root_.parse(argc, argv);
  }

  // The action of the command that was parsed.
  [[nodiscard]] const Action& action() const { return chosen_; }

 private:
  apps::Arguments root_;
  CommonOptions common_;
  Action chosen_;
};

// All commands of the tool.
void add_all_commands(CommandLine& line);

// Each adds its commands; see the file of the same name.
void add_params_commands(CommandLine& line);
void add_estimate_command(CommandLine& line, const apps::Command& params);
void add_search_command(CommandLine& line, const apps::Command& params);
void add_backends_commands(CommandLine& line);
void add_backends_test_command(CommandLine& line, const apps::Command& backends);
void add_keygen_command(CommandLine& line);
void add_passwd_command(CommandLine& line);
void add_check_command(CommandLine& line);
void add_encrypt_command(CommandLine& line);
void add_expand_command(CommandLine& line);
void add_eval_command(CommandLine& line);
void add_slots_command(CommandLine& line);
void add_run_command(CommandLine& line);
void add_circuit_commands(CommandLine& line);
void add_compile_command(CommandLine& line, const apps::Command& circuit);
void add_recrypt_command(CommandLine& line);
void add_decrypt_command(CommandLine& line);
void add_inspect_command(CommandLine& line);
void add_attack_command(CommandLine& line);

// The whole program. Lets no exception out.
int run(int argc, const char* const* argv) noexcept;

}  // namespace fhe::cli
