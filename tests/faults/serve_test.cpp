// The server of apps/outsource on disks that fail, and killed at any call: what its clients hear,
// and what the next server finds.
#include <csignal>
#include <functional>

#include <fmt/format.h>

#include "libfhe/circuit/bristol.hpp"
#include "tests/apps/outsource_service.hpp"
#include "tests/catch.hpp"
#include "tests/faults/sweep.hpp"
#include "tests/support/circuits.hpp"

namespace fhe::faults {

namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::Launch;
using test::Outcome;
using test::Process;
using test::Service;

constexpr Steps kSome{1};
constexpr const char* kServer = "serve";  // on the command line of the server
constexpr const char* kWorker = "work";   // and of a worker

// A service whose server may be disturbed, with a circuit, a key and inputs.
class DisturbedService : public Service {
 public:
  DisturbedService() {
    write("circuits/add.txt", to_bristol(test::adder_circuit(2)));
    encrypt("11", "a.fhe");
    encrypt("10", "b.fhe");
  }

  // A job from the upload of its key to its result; the sum of 3 and 1.
  [[nodiscard]] Outcome submit() const {
    fs::remove(file("sum.fhe"));
    return client({"submit", "--key", "keys/public.fhe", "--circuit", "add.txt", "--input", "a.fhe",
                   "--input", "b.fhe", "--out", "sum.fhe"});
  }

  // Empty when a submission gave the right result.
  [[nodiscard]] std::string wrong_result(const Outcome& outcome) const {
    if (outcome.exit_code != 0) return fmt::format("{}: {}", outcome.exit_code, outcome.err);
    const Outcome bits = run({{"decrypt", "--key", "keys/secret.fhe", "sum.fhe"}});
    return bits.out == "00\n" ? "" : fmt::format("the sum is '{}'", bits.out);
  }
};

// What a server and its client did under a fault.
struct Session {
  Recording recording;
  std::string problem;
};

// Files that no server needs.
std::string leftovers_in(const fs::path& data) {
  std::string names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(data)) {
    const fs::path name = entry.path().filename();
    const bool hidden = name.string().starts_with('.');
    if (hidden || entry.path().parent_path().filename() == "incoming")
      names += entry.path().lexically_relative(data).string() + " ";
  }
  return names;
}

// A server under the fault, a submission and, if it lives, the end of the server by SIGTERM.
Session disturb(DisturbedService& service, const Fault& fault, std::uint64_t at,
                const std::string& process) {
  const test::Sandbox logs;
  Session session;
  Launch launch{Service::serve_command()};
  launch.environment = environment_of(service, fault, at, logs.file("log"), process);
  const bool listens = service.try_start(launch);
  if (listens) {
    const Outcome outcome = service.submit();
    if (outcome.signal != 0) session.problem = "the client died: " + outcome.err;
    if (outcome.exit_code == 0) session.problem = service.wrong_result(outcome);
    service.server().send(SIGTERM);
  }
  const Ending ending = end_of(service.server());
  session.recording = read_recording(logs.file("log"));
  const bool killed = fault.kills() && process == kServer && session.recording.struck();
  if (ending.hung) session.problem = "the server hangs";
  if (killed ? ending.outcome.signal != SIGKILL : ending.outcome.signal != 0) {
    session.problem =
        fmt::format("the server ended by signal {}: {}", ending.outcome.signal, ending.outcome.err);
  }
  if (!killed && !listens && ending.outcome.exit_code != test::kIo) {
    session.problem =
        fmt::format("the server ended with {}: {}", ending.outcome.exit_code, ending.outcome.err);
  }
  const std::string leftovers = process == kWorker ? leftovers_in(service.file("data")) : "";
  if (session.problem.empty() && !leftovers.empty()) {
    session.problem = "workers leave " + leftovers;
  }
  return session;
}

// What is wrong with a server on what the disturbed one left: a submission must succeed, all jobs
// end, and everything of a client can be removed.
std::string wrong_after_restart(DisturbedService& service) {
  if (!service.try_start({Service::serve_command()})) {
    return "the next server does not start: " + service.server().error_output();
  }
  std::string problem = service.wrong_result(service.submit());
  for (const auto& job : service.expect(200, "GET", "/v1/jobs").at("jobs")) {
    const std::string id = job.at("id");
    test::eventually([&] {
      const std::string state = service.state_of(id);
      return state != "queued" && state != "running";
    });
    static_cast<void>(service.expect(200, "DELETE", "/v1/jobs/" + id));
  }
  for (const auto& key : service.expect(200, "GET", "/v1/keys").at("keys")) {
    static_cast<void>(service.expect(200, "DELETE", "/v1/keys/" + key.at("id").get<std::string>()));
  }
  if (problem.empty() && service.stop(SIGTERM) != 0) problem = "it does not stop";
  const std::string leftovers = leftovers_in(service.file("data"));
  if (problem.empty() && !leftovers.empty()) problem = "it leaves " + leftovers;
  return problem.empty() ? "" : "the next server: " + problem;
}

std::uint64_t count_calls(const Fault& fault, const std::string& process) {
  DisturbedService service;
  const Session session = disturb(service, {"nothing", fault.calls}, 0, process);
  REQUIRE(session.problem.empty());
  REQUIRE(session.recording.count > 0);
  return session.recording.count;
}

void sweep_service(const std::vector<Fault>& faults, const std::string& process, Steps steps) {
  std::vector<std::string> problems;
  for (const Fault& fault : faults) {
    const std::vector<std::uint64_t> chosen = chosen_of(count_calls(fault, process), steps);
    std::size_t struck = 0;
    for (const std::uint64_t at : chosen) {
      DisturbedService service;
      Session session = disturb(service, fault, at, process);
      if (session.recording.struck()) ++struck;
      if (session.problem.empty()) session.problem = wrong_after_restart(service);
      if (session.problem.empty()) continue;
      problems.push_back(
          fmt::format("{}, {} call {}: {}", process, fault.name, at, session.problem));
    }
    INFO(process << ": " << fault.name);
    CHECK(struck > 0);
  }
  INFO(fmt::format("{}", fmt::join(problems, "\n")));
  CHECK(problems.empty());
}

}  // namespace

TEST_CASE("faults: some calls of a server and of a worker", "[faults]") {
  sweep_service(service_faults(), kServer, kSome);
  sweep_service(service_faults(), kWorker, kSome);
}

TEST_CASE("faults: every call of a server", "[faults][.sweep]") {
  sweep_service(service_faults(), kServer, kAll);
}

TEST_CASE("faults: every call of a worker", "[faults][.sweep]") {
  sweep_service(service_faults(), kWorker, kAll);
}

}  // namespace fhe::faults
