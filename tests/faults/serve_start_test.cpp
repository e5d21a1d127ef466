// SPDX-License-Identifier: Apache-2.0
// The start of a server on all that a server may have to keep, where one call fails: whatever that
// start does, nothing that was confirmed is lost for the next.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/faults/service_scene.hpp"
#include "tests/faults/snapshot.hpp"
#include "tests/faults/sweep.hpp"

namespace fhe::faults {

namespace {

namespace fs = std::filesystem;
using test::Launch;
using test::Service;

constexpr Steps kQuickStartSteps{4};
constexpr const char* kJobFile = "job.json";
constexpr const char* kLabel = "mine";

// A service with a job that is done, one that was stopped and one that waits, and a circuit that
// has a label.
class FullService : public test::BusyService {
 public:
  FullService() {
    test::ship(*this, "add.txt", test::adder_circuit(kWidth));
    start({"--workers", "1"});
    send_input();
    circuit_ = expect(201, "POST", fmt::format("/v1/circuits?format=bristol&label={}", kLabel),
                      read("circuits/add.txt"))
                   .at("name");
    nlohmann::json sum = nlohmann::json::parse(request());
    sum["circuit"] = circuit_;
    done_ = expect(201, "POST", "/v1/jobs", sum.dump()).at("id");
    wait_for(done_, "done");
    const std::string stopped = submit();
    test::eventually([&] { return fs::exists(checkpoint_of(stopped)); });
    jobs_ = {done_, stopped, submit()};
    REQUIRE(stop(SIGTERM) == 0);
    confirmed_ = snapshot(data());
  }

  [[nodiscard]] fs::path data() const { return file("data"); }

  void restore() const {
    fs::remove_all(data());
    lay_out(confirmed_, data());
  }

  // What the next server, and then the disk, lacks of what was confirmed; empty: nothing.
  [[nodiscard]] std::string lost() {
    if (!try_start(launch())) return "the next server does not start: " + server().error_output();
    std::string problem = hidden();
    if (stop(SIGTERM) != 0) problem += "it does not stop; ";
    const Snapshot now = snapshot(data());
    for (const auto& [name, contents] : confirmed_) {
      const auto found = now.find(name);
      if (found != now.end() && is_kept(name, contents, found->second)) continue;
      if (found == now.end() && is_of_ended_job(name, now)) continue;
      problem += fmt::format("{} is {}; ", name, found == now.end() ? "gone" : "changed");
    }
    return problem;
  }

  static Launch launch() {
    Launch launch{Service::serve_command()};
    launch.arguments.insert(launch.arguments.end(), {"--workers", "1"});
    return launch;
  }

 private:
  // What clients are not shown.
  [[nodiscard]] std::string hidden() const {
    std::string problem;
    for (const std::string& job : jobs_) {
      const test::Reply reply = ask("GET", "/v1/jobs/" + job);
      if (reply.status != 200) problem += fmt::format("GET of job {}: {}; ", job, reply.status);
    }
    if (ask("GET", fmt::format("/v1/jobs/{}/result", done_)).status != 200)
      problem += "no result; ";
    const test::Reply keys = ask("GET", "/v1/keys");
    if (keys.body.find("\"bits\"") == std::string::npos) problem += "no ciphertexts: " + keys.body;
    const test::Reply circuits = ask("GET", "/v1/circuits");
    if (circuits.body.find(kLabel) == std::string::npos) problem += "no label: " + circuits.body;
    return problem;
  }

  // The same, or, of a job that goes on, another state and a checkpoint that has grown.
  [[nodiscard]] bool is_kept(const fs::path& name, const std::string& before,
                             const std::string& now) const {
    const bool goes_on = name.string().find("/jobs/") != std::string::npos &&
                         name.string().find(done_) == std::string::npos;
    if (!goes_on || name.filename() != kJobFile) return goes_on ? !now.empty() : now == before;
    const auto old = nlohmann::json::parse(before);
    const auto job = nlohmann::json::parse(now, nullptr, false);
    if (!job.is_object() || job.at("state") == "failed") return false;
    return std::ranges::all_of(
        std::vector{"id", "key", "circuit", "inputs", "created"},
        [&](const char* member) { return job.at(member) == old.at(member); });
  }

  // A checkpoint goes with the end of its job.
  [[nodiscard]] static bool is_of_ended_job(const fs::path& name, const Snapshot& now) {
    return name.filename() == "checkpoint.fhe" &&
           now.contains((name.parent_path() / "result.fhe").string());
  }

  std::string circuit_;
  std::string done_;
  std::vector<std::string> jobs_;
  Snapshot confirmed_;
};

// A server under the fault, which may start or not, and is stopped.
Ending start_under(FullService& service, const Fault& fault, std::uint64_t at) {
  const test::Sandbox logs;
  service.restore();
  Launch launch = FullService::launch();
  launch.environment = environment_of(service.data(), fault, at, logs.file("log"), kServer);
  if (service.try_start(launch)) service.server().send(SIGTERM);
  Ending ending = end_of(service.server());
  ending.recording = read_recording(logs.file("log"));
  return ending;
}

std::string befallen(const Recording& recording) {
  for (const Event& event : recording.events) {
    if (event.record.action == Action::none) continue;
    return fmt::format("{} {}", kCallNames[static_cast<std::size_t>(event.record.call)],
                       fs::path(event.path).filename().string());
  }
  return "no call";
}

void sweep_start(Steps steps) {
  FullService service;
  std::vector<std::string> problems;
  std::size_t starts = 0;
  for (const Fault& fault : start_faults()) {
    const Ending whole = start_under(service, {"nothing", fault.calls}, 0);
    REQUIRE(whole.recording.count > 0);
    REQUIRE(service.lost().empty());
    std::size_t struck = 0;
    for (const std::uint64_t at : chosen_of(whole.recording.count, steps)) {
      const Ending ending = start_under(service, fault, at);
      ++starts;
      if (ending.recording.struck()) ++struck;
      std::string problem = ending.hung ? "the server hangs; " : "";
      if (ending.outcome.signal != 0) problem += "the server crashed; ";
      problem += service.lost();
      if (problem.empty()) continue;
      problems.push_back(
          fmt::format("{} call {} ({}): {}", fault.name, at, befallen(ending.recording), problem));
    }
    INFO(fault.name);
    CHECK(struck > 0);
  }
  INFO(fmt::format("{} starts\n{}", starts, fmt::join(problems, "\n")));
  CHECK(problems.empty());
}

// The call on this file: what a sample could miss.
std::uint64_t number_of_open(const Recording& recording, const fs::path& name) {
  for (const Event& event : recording.events) {
    if (event.record.call == Call::open && fs::path(event.path).filename() == name) {
      return event.record.number;
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("faults: some calls of the start of a server", "[faults]") {
  sweep_start(kQuickStartSteps);
}

TEST_CASE("faults: a job file that a start cannot open", "[faults]") {
  FullService service;
  for (const Fault& fault : start_faults()) {
    const Ending whole = start_under(service, {"nothing", fault.calls}, 0);
    const std::uint64_t at = number_of_open(whole.recording, kJobFile);
    REQUIRE(at > 0);
    const Ending ending = start_under(service, fault, at);
    INFO(fault.name << ": " << befallen(ending.recording) << ": " << ending.outcome.err);
    CHECK(ending.recording.struck());
    CHECK(service.lost().empty());
  }
}

TEST_CASE("faults: every call of the start of a server", "[faults][.sweep]") {
  sweep_start(kAll);
}

}  // namespace fhe::faults
