// SPDX-License-Identifier: Apache-2.0
// The verbs of a client.
#include "apps/outsource/commands.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/outsource/client/remote.hpp"
#include "apps/outsource/tokens.hpp"
#include "apps/support/failure.hpp"
#include "apps/support/file_checks.hpp"
#include "apps/support/interrupt.hpp"
#include "apps/support/progress_bar.hpp"
#include "apps/support/secrecy.hpp"
#include "libfhe/error.hpp"

namespace fhe::outsource {

namespace {

struct ClientOptions {
  std::string url = "http://127.0.0.1:8080";
  std::string authority;
  std::string token_file;
  std::string job;
  std::string out;
  std::string key;
  std::string circuit;
  std::string circuit_file;
  std::string label;
  std::vector<std::string> inputs;
  std::uint64_t bits = 0;  // of the result; 0: not said
  std::uint64_t most_mib = 1024;
  std::uint64_t patience_seconds = 60;
  bool detach = false;
};

// What every verb works with.
class Conversation {
 public:
  explicit Conversation(const ClientOptions& options)
      : remote_(options.url, load_credentials(options.token_file).front().token, options.authority,
                interrupts_.token(), std::chrono::seconds(options.patience_seconds)) {}

  [[nodiscard]] Remote& remote() { return remote_; }
  [[nodiscard]] Watch watch() {
    return [this](const std::string& phase, double fraction) { progress_.update(phase, fraction); };
  }
  void clear() { progress_.clear(); }

 private:
  apps::InterruptWatch interrupts_;
  apps::ProgressBar progress_;
  Remote remote_;
};

// Part of a path: names of jobs are hexadecimal, and what is not cannot be one.
std::string path_of(const std::string& job) {
  if (is_hex(job)) return "/v1/jobs/" + job;
  throw Error(ErrorCode::invalid_argument, fmt::format("'{}' is no name of a job", job));
}

int fetch_result(Conversation& conversation, const ClientOptions& options, const std::string& id,
                 std::optional<std::uint64_t> bits) {
  if (options.bits > 0) bits = options.bits;
  try {
    const Job job = fetch(conversation.remote(), id,
                          {.key = options.key, .bits = bits, .most_bytes = options.most_mib << 20},
                          options.out, conversation.watch());
    conversation.clear();
    fmt::print("{}: the result of job {}: {} products, {} recryptions, {} s\n", options.out, id,
               job.products, job.recryptions, job.finished - job.started);
    return 0;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::stopped) throw;
    throw Error(
        error.code(),
        fmt::format("stopped; job {0} goes on: `fhe-outsource fetch {0} --key {1} --out {2}`", id,
                    options.key, options.out));
  }
}

int submit_job(const ClientOptions& options) {
  if (!options.detach && options.out.empty()) {
    throw Error(ErrorCode::invalid_argument, "say where the result goes with --out, or --detach");
  }
  if (options.circuit.empty() == options.circuit_file.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "name a circuit of the server with --circuit, or give one with --circuit-file");
  }
  if (!options.label.empty() && (options.circuit_file.empty() || !is_label(options.label))) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--label names a circuit of --circuit-file, in 1 to {} printable "
                            "characters of ASCII with no blank at either end",
                            kLongestLabel));
  }
  if (!options.out.empty()) apps::require_ciphertext_output(options.out);
  Conversation conversation(options);
  const Submission submission{.key = options.key,
                              .circuit = options.circuit,
                              .circuit_file = options.circuit_file,
                              .label = options.label,
                              .inputs = {options.inputs.begin(), options.inputs.end()}};
  const Job job = submit(conversation.remote(), submission, conversation.watch());
  conversation.clear();
  if (!options.detach) {
    return fetch_result(conversation, options, job.id,
                        output_bits(submission).value_or(job.output_bits));
  }
  fmt::print("{}\n", job.id);
  return 0;
}

int fetch_job(const ClientOptions& options) {
  static_cast<void>(path_of(options.job));
  apps::require_ciphertext_output(options.out);
  Conversation conversation(options);
  return fetch_result(conversation, options, options.job, std::nullopt);
}

int retry_job(const ClientOptions& options) {
  Conversation conversation(options);
  static_cast<void>(conversation.remote().post(path_of(options.job) + "/retry"));
  fmt::print("job {} is queued again\n", options.job);
  return 0;
}

int cancel_job(const ClientOptions& options) {
  Conversation conversation(options);
  const Json job = conversation.remote().post(path_of(options.job) + "/cancel");
  fmt::print("job {} is {}\n", options.job,
             is_finished(job_from(job, kAnswer).state) ? "finished" : "being stopped");
  return 0;
}

// What people call a circuit, and how it is known beyond that.
std::string shown(const std::string& name, const std::string& label) {
  constexpr std::size_t kShown = 8;
  if (label.empty()) return apps::one_line(name);
  return apps::one_line(fmt::format("{} ({}{})", label, name.substr(0, kShown),
                                    std::filesystem::path(name).extension().string()));
}

int list_jobs(const ClientOptions& options) {
  Conversation conversation(options);
  const Json answer = conversation.remote().get("/v1/jobs");
  fmt::print("{:<16}  {:<9}  {:>5}  {}\n", "job", "state", "done", "circuit");
  for (const Json& json : member_of(answer, "jobs", kAnswer)) {
    const Job job = job_from(json, kAnswer);
    const std::string& remark = job.error.empty() ? job.note : job.error;
    fmt::print("{:<16}  {:<9}  {:>3.0f} %  {}{}{}\n", apps::one_line(job.id), to_string(job.state),
               100 * job.fraction, shown(job.request.circuit, job.label),
               remark.empty() ? "" : ": ", apps::one_line(remark));
  }
  return 0;
}

int list_circuits(const ClientOptions& options) {
  Conversation conversation(options);
  const Json answer = conversation.remote().get("/v1/circuits");
  for (const Json& circuit : member_of(answer, "circuits", kAnswer)) {
    const std::string label = text_if_any(circuit, "label", kAnswer);
    fmt::print("{}{}{}\n", apps::one_line(text_of(circuit, "name", kAnswer)),
               label.empty() ? "" : "  ", apps::one_line(label));
  }
  return 0;
}

struct Verb {
  apps::Command command;
  std::shared_ptr<ClientOptions> options;

  apps::Option file(const std::string& name, std::string& value, const std::string& what) const {
    return command.option(name, value, what).value_name("FILE");
  }
};

Verb add_verb(const apps::Command& program, Action& chosen, const std::string& name,
              const std::string& description, std::function<int(const ClientOptions&)> action) {
  const auto options = std::make_shared<ClientOptions>();
  const apps::Command command = program.command(name, description);
  Verb verb{command, options};
  command.option("--url", options->url, "The server").value_name("URL").shows_default();
  verb.file("--authority", options->authority,
            "Authorities whose certificates are trusted, in PEM; without it those of the system");
  verb.file("--token-file", options->token_file, "Your token").required();
  command
      .option(
          "--patience", options->patience_seconds,
          "Seconds that the server may say nothing; ten times as many about a file that is sent")
      .value_name("N")
      .in_range(std::uint64_t{1}, std::uint64_t{3600})
      .shows_default();
  command.when_chosen([&chosen, options, action = std::move(action)] {
    chosen = [options, action] {
      apps::keep_memory_private();
      return action(*options);
    };
  });
  return verb;
}

void add_job_option(const Verb& verb) {
  verb.command.option("JOB", verb.options->job, "The job, as `jobs` lists it")
      .value_name("")
      .required();
}

// What the client demands of the result, whatever the server says.
void add_result_options(const Verb& verb) {
  ClientOptions& options = *verb.options;
  verb.command
      .option("--bits", options.bits,
              "Bits that the result must have; without it those of your own circuit, or "
              "what the server says of its circuit")
      .value_name("N")
      .in_range(std::uint64_t{1}, std::uint64_t{1} << 20);
  verb.command.option("--max-result", options.most_mib, "MiB that the result may have at most")
      .value_name("N")
      .in_range(std::uint64_t{1}, std::uint64_t{1} << 32)
      .shows_default();
}

void add_submit_command(const apps::Command& program, Action& chosen) {
  const Verb verb = add_verb(program, chosen, "submit",
                             "Have a circuit computed, and fetch the result", submit_job);
  ClientOptions& options = *verb.options;
  verb.file("--key", options.key, "Public key").required();
  verb.command.option("--circuit", options.circuit, "A circuit of the server").value_name("NAME");
  verb.file("--circuit-file", options.circuit_file,
            "A circuit to send: BLIF when its name ends in .blif, Bristol Fashion otherwise");
  verb.command
      .option("--label", options.label,
              "What to call that circuit; without it, it gets the name of its file")
      .value_name("TEXT");
  verb.file("--out", options.out, "The result: bits of all output words");
  verb.command.option("--input", options.inputs, "Ciphertexts, once for each input word")
      .value_name("FILE")
      .one_each_time();
  verb.command.flag("--detach", options.detach, "Print the job, and do not wait for it");
  add_result_options(verb);
}

}  // namespace

void add_client_commands(const apps::Command& program, Action& chosen) {
  add_submit_command(program, chosen);
  const Verb fetching =
      add_verb(program, chosen, "fetch", "Wait for a job, and fetch its result", fetch_job);
  add_job_option(fetching);
  fetching.file("--key", fetching.options->key, "Public key of the job").required();
  fetching.file("--out", fetching.options->out, "The result").required();
  add_result_options(fetching);
  add_job_option(add_verb(program, chosen, "cancel", "Stop a job", cancel_job));
  add_job_option(
      add_verb(program, chosen, "retry", "Have a failed job go on where it was", retry_job));
  add_verb(program, chosen, "jobs", "List your jobs", list_jobs);
  add_verb(program, chosen, "circuits", "List the circuits that the server has", list_circuits);
}

}  // namespace fhe::outsource
