// SPDX-License-Identifier: Apache-2.0
// The server of apps/outsource on disks that fail, and killed at any call: what its clients hear,
// and what the next server finds.
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
constexpr const char* kServer = "serve";  // on the command line of the server
constexpr const char* kWorker = "work";   // and of a worker

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
  launch.environment = environment_of(service.path(), fault, at, logs.file("log"), process);
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

TEST_CASE("faults: every call of a server", "[faults][.sweep]") {
  sweep_service(service_faults(), kServer, kAll);
}

TEST_CASE("faults: every call of a worker", "[faults][.sweep]") {
  sweep_service(service_faults(), kWorker, kAll);
}

}  // namespace fhe::faults
