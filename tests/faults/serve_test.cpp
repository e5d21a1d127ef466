// SPDX-License-Identifier: Apache-2.0
// The server of apps/outsource on disks that fail, and killed at any call: what its clients hear,
// and what the next server finds.
#include <cerrno>
#include <csignal>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/faults/service_scene.hpp"
#include "tests/faults/sweep.hpp"

namespace fhe::faults {

namespace {

using test::Launch;
using test::Outcome;
using test::Service;

constexpr Steps kQuickServerSteps{1};
constexpr const char* kWorker = "work";  // and of a worker

// What a server and its client did under a fault.
struct Disturbance {
  Recording recording;
  std::string problem;
};

// A server under the fault, a submission and, if it lives, the end of the server by SIGTERM.
Disturbance disturb(DisturbedService& service, const Fault& fault, std::uint64_t at,
                    const std::string& process) {
  const test::Sandbox logs;
  Disturbance disturbance;
  Launch launch{Service::serve_command()};
  // A job waits until the machine is well again: it has to become well.
  launch.environment =
      environment_of(service.path(), fault, at, logs.file("log"), process, logs.file("struck"));
  const bool listens = service.try_start(launch);
  if (listens) {
    const Outcome outcome = service.submit();
    if (outcome.signal != 0) disturbance.problem = "the client died: " + outcome.err;
    if (outcome.exit_code == 0) disturbance.problem = service.wrong_result(outcome);
    service.server().send(SIGTERM);
  }
  const Ending ending = end_of(service.server());
  disturbance.recording = read_recording(logs.file("log"));
  const bool killed = fault.kills() && process == kServer && disturbance.recording.struck();
  if (ending.hung) disturbance.problem = "the server hangs";
  if (killed ? ending.outcome.signal != SIGKILL : ending.outcome.signal != 0) {
    disturbance.problem =
        fmt::format("the server ended by signal {}: {}", ending.outcome.signal, ending.outcome.err);
  }
  if (!killed && !listens && ending.outcome.exit_code != test::kIo) {
    disturbance.problem =
        fmt::format("the server ended with {}: {}", ending.outcome.exit_code, ending.outcome.err);
  }
  const std::string leftovers = process == kWorker ? leftovers_in(service.file("data")) : "";
  if (disturbance.problem.empty() && !leftovers.empty()) {
    disturbance.problem = "workers leave " + leftovers;
  }
  return disturbance;
}

std::uint64_t count_calls(const Fault& fault, const std::string& process) {
  DisturbedService service;
  const Disturbance disturbance = disturb(service, {"nothing", fault.calls}, 0, process);
  REQUIRE(disturbance.problem.empty());
  REQUIRE(disturbance.recording.count > 0);
  return disturbance.recording.count;
}

void sweep_service(const std::vector<Fault>& faults, const std::string& process, Steps steps) {
  std::vector<std::string> problems;
  for (const Fault& fault : faults) {
    const std::vector<std::uint64_t> chosen = chosen_of(count_calls(fault, process), steps);
    std::size_t struck = 0;
    for (const std::uint64_t at : chosen) {
      DisturbedService service;
      Disturbance disturbance = disturb(service, fault, at, process);
      if (disturbance.recording.struck()) ++struck;
      if (disturbance.problem.empty()) disturbance.problem = wrong_after_restart(service);
      if (disturbance.problem.empty()) continue;
      problems.push_back(
          fmt::format("{}, {} call {}: {}", process, fault.name, at, disturbance.problem));
    }
    INFO(process << ": " << fault.name);
    CHECK(struck > 0);
  }
  INFO(fmt::format("{}", fmt::join(problems, "\n")));
  CHECK(problems.empty());
}

}  // namespace

TEST_CASE("faults: some calls of a server and of a worker", "[faults]") {
  sweep_service(service_faults(), kServer, kQuickServerSteps);
  sweep_service(service_faults(), kWorker, kQuickServerSteps);
}

namespace {

// A server of which the `at`-th start of a process fails, once.
void start_without_process(DisturbedService& service, std::uint64_t at) {
  Launch launch{Service::serve_command()};
  launch.environment =
      environment_of(service.path(), {"no process", {Call::spawn}, Action::fail, EAGAIN}, at,
                     service.file("log"), kServer);
  REQUIRE(service.try_start(launch));
}

}  // namespace

// The first process checks the circuit that the server ships, the next three what is sent.
TEST_CASE("faults: a job waits when no process can be started for it", "[faults]") {
  DisturbedService service;
  start_without_process(service, 5);
  CHECK(service.wrong_result(service.submit()).empty());
  const nlohmann::json job = service.expect(200, "GET", "/v1/jobs").at("jobs").at(0);
  CHECK(job.at("tries") == 0);
  CHECK_THAT(job.at("note").get<std::string>(),
             Catch::Matchers::StartsWith("it waits for the server's machine") &&
                 Catch::Matchers::ContainsSubstring("cannot start a process"));
  CHECK_THAT(service.server().error_output(), Catch::Matchers::ContainsSubstring("waits for 1 s"));
}

TEST_CASE("faults: an upload is not to blame when no process can be started", "[faults]") {
  DisturbedService service;
  start_without_process(service, 2);
  service.expect_error(507, "cannot start a process", "POST", "/v1/keys",
                       service.read("keys/public.fhe"));
  CHECK(service.wrong_result(service.submit()).empty());
}

TEST_CASE("faults: every call of a server", "[faults][.sweep]") {
  sweep_service(service_faults(), kServer, kAll);
}

TEST_CASE("faults: every call of a worker", "[faults][.sweep]") {
  sweep_service(service_faults(), kWorker, kAll);
}

}  // namespace fhe::faults
