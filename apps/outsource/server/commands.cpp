// `fhe-outsource serve`, and `fhe-outsource work` and `check`, which it starts.
#include "apps/outsource/commands.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/outsource/child_process.hpp"
#include "apps/outsource/server/api.hpp"
#include "apps/outsource/server/checks.hpp"
#include "apps/outsource/server/hangups.hpp"
#include "apps/outsource/server/worker.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

std::uint64_t machine_mib() {
  const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  return bytes >> 20;
}

struct Options {
  std::string host = "127.0.0.1";
  int port = 8080;
  std::string token_file;
  std::string data;
  std::string circuits;
  std::uint64_t upload_mib = 256;
  std::uint64_t quota_mib = 4096;
  std::uint64_t reserve_mib = 256;
  std::size_t connections = 256;
  std::size_t requests = 32;
  std::uint64_t patience_seconds = 10;
  std::int64_t most_seconds = 86'400;
  bool verbose = false;
  bool with_parent = false;
  JobSettings jobs{.process_memory_mib = machine_mib(),
                   .backend = std::string(default_backend_name())};
  CheckSettings checks = {};
};

void set_up_log(bool verbose) {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "fhe-outsource", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  spdlog::set_pattern("%Y-%m-%d %T %l: %v");
  spdlog::set_level(verbose ? spdlog::level::debug : spdlog::level::info);
}

fs::path absolute_or_empty(const std::string& path) {
  return path.empty() ? fs::path() : fs::absolute(path);
}

// Each of the jobs that run at the same time gets its share of the processors.
JobSettings job_settings(const Options& options) {
  JobSettings settings = options.jobs;
  settings.program = this_program();
  settings.most_time = std::chrono::seconds(options.most_seconds);
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  if (settings.threads == 0)
    settings.threads = std::max<std::size_t>(1, processors / settings.workers);
  return settings;
}

// Reads the token file anew: whoever is not in it any more is out.
void reload(const fs::path& token_file, Clients& clients, Store& store, Jobs& jobs) {
  try {
    const std::vector<Credential> credentials = load_credentials(token_file);
    for (const Credential& credential : credentials) store.open(credential.name);
    clients.replace(credentials);
    jobs.set_clients(clients.names());
    spdlog::info("the token file was read again: {} clients", credentials.size());
  } catch (const std::exception& error) {
    spdlog::error("the token file was read again, and the clients stay as they were: {}",
                  cli::one_line(error.what()));
  }
}

CheckSettings check_settings(const Options& options) {
  CheckSettings settings = options.checks;
  settings.program = this_program();
  return settings;
}

int serve(const Options& options) {
  set_up_log(options.verbose);
  if (options.with_parent) end_with_parent();
  hold_hangups();
  const cli::InterruptWatch interrupts(cli::FirstSignal::only_asks);
  static_cast<void>(open_backend(options.jobs.backend));
  Clients clients(load_credentials(options.token_file));
  const fs::path token_file = fs::absolute(options.token_file);
  const fs::path circuits = absolute_or_empty(options.circuits);
  // What is said about files shall not tell clients where this server keeps them.
  fs::create_directories(options.data);
  fs::current_path(options.data);
  Checks checks(check_settings(options), interrupts.token());
  Store store(".", circuits,
              {.upload_bytes = options.upload_mib << 20,
               .quota_bytes = options.quota_mib << 20,
               .reserve_bytes = options.reserve_mib << 20},
              checks);
  for (const std::string& client : clients.names()) store.open(client);
  Jobs jobs(store, job_settings(options));
  jobs.set_clients(clients.names());
  Api api(clients, store, jobs, options.requests);
  HttpServer server(options.connections,
                    {.silence = std::chrono::seconds(options.patience_seconds)},
                    [&](const httplib::Request& request) { return api.is_known(request); });
  api.attach(server);
  const HangupWatch hangups([&] { reload(token_file, clients, store, jobs); });
  const int port = server.bind(options.host, options.port);
  fmt::print("listening on http://{}:{}\n", options.host, port);
  std::fflush(stdout);
  server.serve(interrupts.token());
  spdlog::debug("stopped: jobs that ran go on with the next start");
  return 0;
}

template <class Number>
void add_number(CLI::App& command, const std::string& name, Number& number, Number least,
                Number most, const std::string& description) {
  command.add_option(name, number, description)
      ->type_name("N")
      ->check(CLI::Range(least, most))
      ->capture_default_str();
}

void add_limits(CLI::App& command, Options& options) {
  constexpr std::uint64_t kMostMib = std::uint64_t{1} << 32;
  constexpr std::size_t kMostThreads = 4096;
  add_number(command, "--max-upload", options.upload_mib, std::uint64_t{1}, kMostMib,
             "MiB of a key or a file of ciphertexts");
  add_number(command, "--quota", options.quota_mib, std::uint64_t{1}, kMostMib,
             "MiB of all files of a client");
  add_number(command, "--reserve", options.reserve_mib, std::uint64_t{0}, kMostMib,
             "MiB of the disk that uploads leave free");
  add_number(command, "--checks", options.checks.most, std::size_t{1}, std::size_t{256},
             "Uploads that are checked at the same time; half of them may be one client's");
  add_number(command, "--check-memory", options.checks.limits.memory_mib, std::uint64_t{0},
             kMostMib, "MiB that checking an upload may take; 0: no limit");
  add_number(command, "--check-seconds", options.checks.limits.cpu_seconds, std::uint64_t{1},
             std::uint64_t{100'000}, "Processor time that checking an upload may take");
  add_number(command, "--workers", options.jobs.workers, std::size_t{1}, std::size_t{256},
             "Jobs that run at the same time");
  add_number(command, "--threads", options.jobs.threads, std::size_t{0}, kMostThreads,
             "Threads of a job; 0: the machine's, divided by the workers");
  add_number(command, "--memory", options.jobs.memory_mib, std::uint64_t{0}, kMostMib,
             "MiB for the ciphertexts of a job; 0: no limit");
  add_number(command, "--job-memory", options.jobs.process_memory_mib, std::uint64_t{0}, kMostMib,
             "MiB of address space of a job's process; 0: no limit");
  add_number(command, "--max-seconds", options.most_seconds, std::int64_t{1},
             std::int64_t{100'000'000}, "Time of a job");
  add_number(command, "--tries", options.jobs.most_tries, std::uint64_t{1}, std::uint64_t{1000},
             "How often a job is tried whose process dies");
  add_number(command, "--max-jobs", options.jobs.most_unfinished, std::size_t{1},
             std::size_t{100'000}, "Unfinished jobs of a client");
  // Above, httplib does not serve a connection: its number could be over FD_SETSIZE.
  add_number(command, "--max-connections", options.connections, std::size_t{1}, std::size_t{768},
             "Connections at the same time");
  add_number(command, "--max-requests", options.requests, std::size_t{1}, std::size_t{768},
             "Requests of a client at the same time");
  add_number(command, "--patience", options.patience_seconds, std::uint64_t{1}, std::uint64_t{3600},
             "Seconds that a connection may say nothing");
}

void add_serve_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *program.add_subcommand("serve", "Compute for clients, and show their jobs");
  command.add_option("--token-file", options->token_file, "Tokens of the clients")
      ->type_name("FILE")
      ->required();
  command.add_option("--data", options->data, "Folder for keys, ciphertexts and jobs")
      ->type_name("DIR")
      ->required();
  command.add_option("--circuits", options->circuits, "Folder of circuits for all clients")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command.add_option("--host", options->host, "Address to listen on")
      ->type_name("ADDRESS")
      ->capture_default_str();
  add_number(command, "--port", options->port, 0, 65535, "Port to listen on; 0: any");
  add_limits(command, *options);
  command.add_option("--backend", options->jobs.backend, "Arithmetic backend")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_flag("--verbose", options->verbose, "Log every request and job");
  command.add_flag("--with-parent", options->with_parent,
                   "Stop when the program that started this ends");
  command.footer(
      "What travels is not encrypted again: tokens and requests can be read on the way. Beyond "
      "this\n"
      "machine, let clients come through ssh or a proxy that speaks TLS.");
  command.callback([&chosen, options] { chosen = [options] { return serve(*options); }; });
}

void add_process_limits(CLI::App& command, ProcessLimits& limits) {
  command.add_option("--max-memory", limits.memory_mib);
  command.add_option("--max-seconds", limits.cpu_seconds);
}

void add_work_command(CLI::App& program, Action& chosen) {
  const auto work = std::make_shared<Work>();
  CLI::App& command = *program.add_subcommand("work", "Run one job; for the server");
  command.group("");  // not in the help
  command.add_option("--key", work->key)->required();
  command.add_option("--circuit", work->circuit)->required();
  command.add_option("--input", work->inputs)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--result", work->result)->required();
  command.add_option("--checkpoint", work->checkpoint)->required();
  command.add_option("--memory", work->memory_mib);
  command.add_option("--threads", work->threads);
  command.add_option("--backend", work->backend)->required();
  add_process_limits(command, work->limits);
  command.callback([&chosen, work] { chosen = [work] { return do_work(*work); }; });
}

void add_check_command(CLI::App& program, Action& chosen) {
  struct CheckOptions {
    std::string kind;
    Check check;
    ProcessLimits limits;
  };
  const auto options = std::make_shared<CheckOptions>();
  CLI::App& command = *program.add_subcommand("check", "Check one upload; for the server");
  command.group("");  // not in the help
  command.add_option("--kind", options->kind)->required();
  command.add_option("--file", options->check.file)->required();
  command.add_option("--key", options->check.key);
  command.add_option("--max-bytes", options->check.most_bytes)->required();
  add_process_limits(command, options->limits);
  command.callback([&chosen, options] {
    chosen = [options] {
      options->check.kind = checked_kind_named(options->kind);
      return do_check(options->check, options->limits);
    };
  });
}

}  // namespace

void add_server_commands(CLI::App& program, Action& chosen) {
  add_check_command(program, chosen);
  add_serve_command(program, chosen);
  add_work_command(program, chosen);
}

}  // namespace fhe::outsource
