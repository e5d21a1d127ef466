// SPDX-License-Identifier: Apache-2.0
// `fhe-outsource serve`, and `fhe-outsource work` and `check`, which it starts.
#include "apps/outsource/commands.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/outsource/server/api.hpp"
#include "apps/outsource/server/checks.hpp"
#include "apps/outsource/server/http_server.hpp"
#include "apps/outsource/server/log.hpp"
#include "apps/outsource/server/process.hpp"
#include "apps/outsource/server/worker.hpp"
#include "apps/support/child_process.hpp"
#include "apps/support/interrupt.hpp"
#include "apps/support/new_directories.hpp"
#include "apps/support/secrecy.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

std::uint64_t machine_mib() {
  const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  return bytes >> 20;
}

constexpr const char* kTextLog = "text";
constexpr const char* kJsonLog = "json";

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 8080;
  std::string token_file;
  std::string certificate;
  std::string certificate_key;
  std::string data;
  std::string circuits;
  std::uint64_t upload_mib = 256;
  std::uint64_t reserve_mib = 256;
  std::size_t connections = 256;
  std::uint64_t patience_seconds = 10;
  std::string log = kTextLog;
  bool verbose = false;
  bool with_parent = false;
  JobSettings jobs{.process_memory_mib = machine_mib(),
                   .backend = std::string(default_backend_name())};
  CheckSettings checks = {};
  ClientLimits limits = {};
};

fs::path absolute_or_empty(const std::string& path) {
  return path.empty() ? fs::path() : fs::absolute(path);
}

// Each of the jobs that run at the same time gets its share of the threads of a process.
JobSettings job_settings(const ServerOptions& options) {
  JobSettings settings = options.jobs;
  settings.program = apps::this_program();
  if (settings.threads == 0)
    settings.threads = std::max<std::size_t>(1, thread_count() / settings.workers);
  return settings;
}

// Reads the token file anew: whoever is not in it any more is out.
void reload(const fs::path& token_file, const ClientLimits& usual, Clients& clients, Store& store,
            Jobs& jobs) {
  try {
    const std::vector<Credential> credentials = load_credentials(token_file, usual);
    for (const Credential& credential : credentials) {
      store.open(credential.name);
      jobs.open(credential.name);
    }
    clients.replace(credentials);
    jobs.set_clients(clients.names());
    log_event(spdlog::level::info, "tokens_read", [&] {
      return Said{{{"clients", credentials.size()}},
                  fmt::format("the token file was read again: {} clients", credentials.size())};
    });
  } catch (const std::exception& error) {
    log_event(spdlog::level::err, "tokens_refused", [&] {
      return Said{
          {{"reason", error.what()}},
          fmt::format("the token file was read again, and the clients stay as they were: {}",
                      error.what())};
    });
  }
}

// What the server shows; null where it speaks plain HTTP.
struct CertificateFiles {
  fs::path certificate;
  fs::path key;

  [[nodiscard]] std::shared_ptr<const Tls> load() const {
    if (certificate.empty()) return nullptr;
    return std::make_shared<const Tls>(Tls::of_server(certificate, key));
  }
};

CertificateFiles certificate_files(const ServerOptions& options) {
  if (options.certificate.empty() != options.certificate_key.empty()) {
    throw Error(ErrorCode::invalid_argument, "TLS takes both --certificate and --certificate-key");
  }
  return {absolute_or_empty(options.certificate), absolute_or_empty(options.certificate_key)};
}

// From now on the server shows this certificate.
void show(std::shared_ptr<const Tls> tls, HttpServer& server, Api& api) {
  constexpr std::int64_t kSoon = 14;
  if (tls != nullptr) {
    const std::int64_t days = whole_days_until(tls->end());
    api.show_certificate_end(tls->end());
    if (days < kSoon) {
      log_event(spdlog::level::warn, "certificate_ends", [&] {
        return Said{{{"days", days}},
                    days < 0
                        ? std::string("the certificate has expired, and clients refuse it: get "
                                      "a new one, and send SIGHUP")
                        : fmt::format("the certificate expires in {} days: get a new one, and "
                                      "send SIGHUP",
                                      days)};
      });
    }
  }
  server.speak(std::move(tls));
}

// Reads the certificate anew, as those do that replace theirs every few weeks.
void reload(const CertificateFiles& files, HttpServer& server, Api& api) {
  if (files.certificate.empty()) return;
  try {
    show(files.load(), server, api);
    log_event(spdlog::level::info, "certificate_read", [&] {
      return Said{Json::object(), "the certificate was read again"};
    });
  } catch (const std::exception& error) {
    log_event(spdlog::level::err, "certificate_refused", [&] {
      return Said{
          {{"reason", error.what()}},
          fmt::format("the certificate was read again, and stays as it was: {}", error.what())};
    });
  }
}

CheckSettings check_settings(const ServerOptions& options) {
  CheckSettings settings = options.checks;
  settings.program = apps::this_program();
  return settings;
}

int serve(const ServerOptions& options) {
  if (options.with_parent) apps::end_with_parent();
  apps::keep_memory_private();
  hold_hangups();
  const apps::InterruptWatch interrupts(apps::FirstSignal::only_asks);
  const Log log(options.log == kJsonLog ? LogForm::json : LogForm::text, options.verbose);
  const std::size_t connections = fitting_connections(options.connections, raise_descriptor_limit(),
                                                      options.jobs.workers + options.checks.most);
  static_cast<void>(open_backend(options.jobs.backend));
  const CertificateFiles certificate = certificate_files(options);
  std::shared_ptr<const Tls> tls = certificate.load();
  Clients clients(load_credentials(options.token_file, options.limits));
  const fs::path token_file = fs::absolute(options.token_file);
  const fs::path circuits = absolute_or_empty(options.circuits);
  // What is said about files shall not tell clients where this server keeps them.
  apps::make_directories(options.data);
  fs::current_path(options.data);
  Checks checks(check_settings(options), interrupts.token());
  Store store(
      ".", circuits,
      {.upload_bytes = options.upload_mib << 20, .reserve_bytes = options.reserve_mib << 20},
      clients, checks);
  Jobs jobs(clients, store, job_settings(options));
  for (const std::string& client : clients.names()) {
    store.open(client);
    jobs.open(client);
  }
  jobs.set_clients(clients.names());
  Api api(clients, store, jobs);
  HttpServer server(connections, {.silence = std::chrono::seconds(options.patience_seconds)}, api);
  const std::string scheme = tls == nullptr ? "http" : "https";
  show(std::move(tls), server, api);
  const HangupWatch hangups([&] {
    reload(token_file, options.limits, clients, store, jobs);
    reload(certificate, server, api);
  });
  const int port = server.bind(options.host, options.port);
  fmt::print("listening on {}://{}:{}\n", scheme, options.host, port);
  std::fflush(stdout);
  server.serve(interrupts.token());
  log_event(spdlog::level::debug, "stopped", [&] {
    return Said{Json::object(), "stopped: jobs that ran go on with the next start"};
  });
  return 0;
}

template <class Number>
void add_number(const apps::Command& command, const std::string& name, Number& number, Number least,
                Number most, const std::string& description) {
  command.option(name, number, description).value_name("N").in_range(least, most).shows_default();
}

// Of those clients whose lines in the token file do not say otherwise.
void add_client_limits(const apps::Command& command, ClientLimits& limits) {
  for (const LimitName& name : limit_names()) {
    add_number(command, name.option, limits.*(name.value), name.least, name.most, name.description);
  }
}

void add_limits(const apps::Command& command, ServerOptions& options) {
  constexpr std::uint64_t kMostMib = std::uint64_t{1} << 32;
  constexpr std::size_t kMostThreads = 4096;
  add_number(command, "--max-upload", options.upload_mib, std::uint64_t{1}, kMostMib,
             "MiB of a key or a file of ciphertexts");
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
             "Threads of a job; 0: those that the machine gives a process, divided by the workers");
  add_number(command, "--save-seconds", options.jobs.save_seconds, std::uint64_t{0},
             std::uint64_t{3600}, "Time between two checkpoints of a job; 0: after each result");
  add_number(command, "--memory", options.jobs.memory_mib, std::uint64_t{0}, kMostMib,
             "MiB for the ciphertexts of a job; 0: no limit");
  add_number(command, "--job-memory", options.jobs.process_memory_mib, std::uint64_t{0}, kMostMib,
             "MiB of address space of a job's process; 0: no limit");
  add_number(command, "--tries", options.jobs.most_tries, std::uint64_t{1}, std::uint64_t{1000},
             "How often a job is tried whose process dies");
  // Each has a thread.
  add_number(command, "--max-connections", options.connections, std::size_t{1}, std::size_t{768},
             "Connections at the same time, or as many as the limit of open files allows");
  add_number(command, "--patience", options.patience_seconds, std::uint64_t{1}, std::uint64_t{3600},
             "Seconds that a connection may say nothing");
}

void add_serve_command(const apps::Command& program, Action& chosen) {
  const auto options = std::make_shared<ServerOptions>();
  const apps::Command command =
      program.command("serve", "Compute for clients, and show their jobs");
  command.option("--token-file", options->token_file, "Tokens of the clients")
      .value_name("FILE")
      .required();
  command.option("--data", options->data, "Folder for keys, ciphertexts and jobs")
      .value_name("DIR")
      .required();
  command.option("--circuits", options->circuits, "Folder of circuits for all clients")
      .value_name("DIR");
  command.option("--host", options->host, "Address to listen on")
      .value_name("ADDRESS")
      .shows_default();
  command
      .option("--certificate", options->certificate,
              "Speak TLS and show this certificate: a PEM file, with those between it and its "
              "authority")
      .value_name("FILE");
  command.option("--certificate-key", options->certificate_key, "Private key of the certificate")
      .value_name("FILE");
  add_number(command, "--port", options->port, 0, 65535, "Port to listen on; 0: any");
  add_client_limits(command, options->limits);
  add_limits(command, *options);
  command.option("--backend", options->jobs.backend, "Arithmetic backend")
      .value_name("NAME")
      .shows_default();
  command.option("--log", options->log, "Form of the log: text, or json with an object in a line")
      .value_name("FORM")
      .one_of({kTextLog, kJsonLog})
      .shows_default();
  command.flag("--verbose", options->verbose, "Log every request and job");
  command.flag("--with-parent", options->with_parent,
               "Stop when the program that started this ends");
  command.end_help_with(
      "Without --certificate, tokens and requests can be read on the way: then let clients beyond "
      "this\n"
      "machine come through ssh or a proxy that speaks TLS. SIGHUP has the token file and the "
      "certificate\n"
      "read again. In the token file, limits of a client may stand behind its token: jobs=4 "
      "running=1\n"
      "quota=512 requests=8 rate=600 seconds=3600 (as --max-jobs, --max-running, --quota, "
      "--max-requests,\n"
      "--max-rate and --max-seconds for all).");
  command.when_chosen([&chosen, options] { chosen = [options] { return serve(*options); }; });
}

void add_process_limits(const apps::Command& command, apps::ProcessLimits& limits) {
  command.option("--max-memory", limits.memory_mib);
  command.option("--max-seconds", limits.cpu_seconds);
}

void add_work_command(const apps::Command& program, Action& chosen) {
  const auto work = std::make_shared<Work>();
  const apps::Command command = program.command("work", "Run one job; for the server");
  command.hide();
  command.option("--key", work->key).required();
  command.option("--circuit", work->circuit).required();
  command.option("--input", work->inputs).one_each_time();
  command.option("--result", work->result).required();
  command.option("--checkpoint", work->checkpoint).required();
  command.option("--memory", work->memory_mib);
  command.option("--threads", work->threads);
  command.option("--save-seconds", work->save_seconds);
  command.option("--backend", work->backend).required();
  add_process_limits(command, work->limits);
  command.when_chosen([&chosen, work] { chosen = [work] { return do_work(*work); }; });
}

void add_check_command(const apps::Command& program, Action& chosen) {
  struct CheckOptions {
    std::string kind;
    Check check;
    apps::ProcessLimits limits;
  };
  const auto options = std::make_shared<CheckOptions>();
  const apps::Command command = program.command("check", "Check one upload; for the server");
  command.hide();
  command.option("--kind", options->kind).required();
  command.option("--file", options->check.file).required();
  command.option("--key", options->check.key);
  command.option("--max-bytes", options->check.most_bytes).required();
  add_process_limits(command, options->limits);
  command.when_chosen([&chosen, options] {
    chosen = [options] {
      options->check.kind = checked_kind_named(options->kind);
      return do_check(options->check, options->limits);
    };
  });
}

}  // namespace

void add_server_commands(const apps::Command& program, Action& chosen) {
  add_check_command(program, chosen);
  add_serve_command(program, chosen);
  add_work_command(program, chosen);
}

}  // namespace fhe::outsource
