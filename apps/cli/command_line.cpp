// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/command_line.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "apps/support/failure.hpp"
#include "apps/support/interrupt.hpp"
#include "libfhe/error.hpp"

namespace fhe::cli {

namespace {

constexpr int kMostThreads = 4096;

std::string root_footer() {
  return "A whole run:\n"
         "  fhe keygen --params cnt-toy --out keys\n"
         "  fhe encrypt --key keys/public.fhe --number 13 --width 8 --out a.fhe\n"
         "  fhe encrypt --key keys/public.fhe --number 11 --width 8 --out b.fhe\n"
         "  fhe eval --key keys/public.fhe add a.fhe b.fhe --out c.fhe\n"
         "  fhe decrypt --key keys/secret.fhe --number c.fhe\n\n" +
         apps::exit_code_help() +
         "\nErrors are one line on standard error. With --json, standard output holds one JSON\n"
         "object, for an error {\"error\": {\"code\", \"message\"}}.\n"
         "`fhe COMMAND --help` explains a command.";
}

// Known before the command line is parsed, since errors of parsing are reported as JSON too.
bool wants_json(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--json") return true;
  }
  return false;
}

void set_up_log() {
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("fhe", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  spdlog::set_pattern("fhe: %l: %v");
}

// Not by the log, which may not be set up yet, nor by anything else that takes memory or throws.
void report(const apps::Failure& failure, bool json) {
  static_cast<void>(std::fprintf(stderr, "fhe: error: %s\n", failure.message.c_str()));
  if (!json) return;
  try {
    const Json error{{"code", failure.code}, {"message", failure.message}};
    print(to_text(Json{{"error", error}}));
  } catch (...) {
    // Standard output is what failed, or fails now too: the line on standard error has to do.
  }
}

}  // namespace

void add_all_commands(CommandLine& line) {
  add_params_commands(line);
  add_backends_commands(line);
  add_keygen_command(line);
  add_passwd_command(line);
  add_check_command(line);
  add_encrypt_command(line);
  add_expand_command(line);
  add_eval_command(line);
  add_slots_command(line);
  add_run_command(line);
  add_circuit_commands(line);
  add_recrypt_command(line);
  add_decrypt_command(line);
  add_inspect_command(line);
  add_attack_command(line);
}

namespace {

apps::ExitCode run_command(const CommandLine& line, const apps::InterruptWatch& interrupts) {
  if (line.common().verbose) spdlog::set_level(spdlog::level::debug);
  Session session(line.common(), interrupts.token());
  const Report report = line.action()(session);
  session.progress().clear();
  if (!report.is_of_another) print(report, line.common().json);
  return report.exit_code;
}

}  // namespace

CommandLine::CommandLine()
    : root_("fhe",
            "Encrypts bits, numbers and texts, and computes on them while they stay encrypted.") {
  root_.require_command();
  root_.end_help_with(root_footer());
}

apps::Command CommandLine::add_command(const apps::Command& parent, const std::string& name,
                                       const std::string& description, const std::string& example,
                                       Action action) {
  const apps::Command command = parent.command(name, description);
  command.flag("--json", common_.json, "Print one JSON object instead of text");
  command.flag("--verbose", common_.verbose, "Say on standard error what is being done");
  command.end_help_with("Example:\n  " + example);
  command.when_chosen([this, action = std::move(action)] { chosen_ = action; });
  return command;
}

apps::Command CommandLine::add_group(const std::string& name, const std::string& description,
                                     const std::string& example) {
  const apps::Command group = root_.command(name, description);
  group.require_command();
  group.end_help_with("Example:\n  " + example);
  return group;
}

void CommandLine::add_computing_options(const apps::Command& command) {
  command.option("--backend", common_.backend, "Arithmetic backend, as `fhe backends` lists them")
      .value_name("NAME")
      .shows_default();
  command.option("--threads", common_.threads, "Threads to use; without it all of the machine")
      .value_name("N")
      .in_range(1, kMostThreads);
}

void CommandLine::add_limit_options(const apps::Command& command) {
  command
      .option("--max-file-bytes", common_.max_file_bytes,
              fmt::format("Largest file to read or write [{}]; circuits [{}]",
                          ReadLimits{}.max_file_bytes, CircuitLimits{}.max_file_bytes))
      .value_name("N")
      .decimal();
  command
      .option("--max-ciphertexts", common_.max_ciphertexts,
              fmt::format("Most ciphertexts in a file [{}]", ReadLimits{}.max_ciphertexts))
      .value_name("N")
      .decimal();
}

int run(int argc, const char* const* argv) noexcept {
  bool json = false;
  apps::describe_termination();
  try {
    json = wants_json(std::span(argv, static_cast<std::size_t>(argc)));
    reserve_standard_streams();
    set_up_log();
    apps::turn_write_signals_into_errors();
    const apps::InterruptWatch interrupts;
    CommandLine line;
    add_all_commands(line);
    if (const std::optional<std::string> answer = line.parse(argc, argv)) {
      print(*answer);
      return static_cast<int>(apps::ExitCode::success);
    }
    return static_cast<int>(run_command(line, interrupts));
  } catch (...) {
    try {
      const apps::Failure failure = apps::describe(std::current_exception());
      report(failure, json);
      return static_cast<int>(failure.exit_code);
    } catch (...) {  // too little memory even to describe it
      static_cast<void>(std::fputs("fhe: error: out of memory\n", stderr));
      return static_cast<int>(apps::ExitCode::failure);
    }
  }
}

}  // namespace fhe::cli
