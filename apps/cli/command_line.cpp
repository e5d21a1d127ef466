#include "apps/cli/command_line.hpp"

#include <cstdio>
#include <memory>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/support/decimal_number.hpp"
#include "libfhe/error.hpp"

namespace fhe::cli {

namespace {

constexpr int kMostThreads = 4096;

std::string root_footer() {
  return "A whole run:\n"
         "  fhe keygen --params cnt-toy --out keys\n"
         "  fhe encrypt --key keys/public.fhe --bits 1100 --out a.fhe\n"
         "  fhe encrypt --key keys/public.fhe --bits 1010 --out b.fhe\n"
         "  fhe eval --key keys/public.fhe and a.fhe b.fhe --out c.fhe\n"
         "  fhe decrypt --key keys/secret.fhe c.fhe\n\n" +
         exit_code_help() +
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
void report(const Failure& failure, bool json) {
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
  add_list_commands(line);
  add_keygen_command(line);
  add_passwd_command(line);
  add_check_command(line);
  add_encrypt_command(line);
  add_eval_command(line);
  add_run_command(line);
  add_circuit_commands(line);
  add_recrypt_command(line);
  add_decrypt_command(line);
  add_inspect_command(line);
}

namespace {

// Parses and returns whether there is a command to run; --help and --version are answered here.
bool parse(CommandLine& line, int argc, const char* const* argv) {
  try {
    line.parse(argc, argv);
    return true;
  } catch (const CLI::Success& request) {
    std::ostringstream answer;
    static_cast<void>(line.root().exit(request, answer, answer));
    print(answer.str());
    return false;
  }
}

ExitCode run_command(const CommandLine& line, const InterruptWatch& interrupts) {
  if (line.common().verbose) spdlog::set_level(spdlog::level::debug);
  Session session(line.common(), interrupts.token());
  const Report report = line.action()(session);
  session.progress().clear();
  print(report, line.common().json);
  return report.exit_code;
}

}  // namespace

CommandLine::CommandLine()
    : root_("Encrypts bits and computes on them while they stay encrypted.", "fhe") {
  root_.set_version_flag("--version", std::string("fhe ") + FHE_VERSION,
                         "Print the version and exit");
  root_.set_help_flag("-h,--help", "Print this help and exit");
  root_.require_subcommand(1);
  root_.footer(root_footer());
}

CLI::App& CommandLine::add_command(CLI::App& parent, const std::string& name,
                                   const std::string& description, const std::string& example,
                                   Action action) {
  CLI::App& command = *parent.add_subcommand(name, description);
  command.add_flag("--json", common_.json, "Print one JSON object instead of text");
  command.add_flag("--verbose", common_.verbose, "Say on standard error what is being done");
  command.footer("Example:\n  " + example);
  command.callback([this, action = std::move(action)] { chosen_ = action; });
  return command;
}

CLI::App& CommandLine::add_group(const std::string& name, const std::string& description,
                                 const std::string& example) {
  CLI::App& group = *root_.add_subcommand(name, description);
  group.require_subcommand(1);
  group.footer("Example:\n  " + example);
  return group;
}

void CommandLine::add_computing_options(CLI::App& command) {
  command
      .add_option("--backend", common_.backend, "Arithmetic backend, as `fhe backends` lists them")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--threads", common_.threads, "Threads to use; without it all of the machine")
      ->type_name("N")
      ->check(CLI::Range(1, kMostThreads));
}

void CommandLine::add_limit_options(CLI::App& command) {
  command
      .add_option("--max-file-bytes", common_.max_file_bytes,
                  fmt::format("Largest file to read or write [{}]; circuits [{}]",
                              ReadLimits{}.max_file_bytes, CircuitLimits{}.max_file_bytes))
      ->type_name("N")
      ->check(apps::decimal_number());
  command
      .add_option("--max-ciphertexts", common_.max_ciphertexts,
                  fmt::format("Most ciphertexts in a file [{}]", ReadLimits{}.max_ciphertexts))
      ->type_name("N")
      ->check(apps::decimal_number());
}

int run(int argc, const char* const* argv) noexcept {
  bool json = false;
  describe_termination();
  try {
    json = wants_json(std::span(argv, static_cast<std::size_t>(argc)));
    reserve_standard_streams();
    set_up_log();
    turn_write_signals_into_errors();
    const InterruptWatch interrupts;
    CommandLine line;
    add_all_commands(line);
    const bool wanted = parse(line, argc, argv);
    return static_cast<int>(wanted ? run_command(line, interrupts) : ExitCode::success);
  } catch (...) {
    try {
      const Failure failure = describe(std::current_exception());
      report(failure, json);
      return static_cast<int>(failure.exit_code);
    } catch (...) {  // too little memory even to describe it
      static_cast<void>(std::fputs("fhe: error: out of memory\n", stderr));
      return static_cast<int>(ExitCode::failure);
    }
  }
}

}  // namespace fhe::cli
