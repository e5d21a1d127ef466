// SPDX-License-Identifier: Apache-2.0
// The server of apps/outsource on a machine that loses power: what it has confirmed is there
// afterwards, and the next server works on whatever is.
#include <csignal>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/faults/power.hpp"
#include "tests/faults/service_scene.hpp"

namespace fhe::faults {

namespace {

namespace fs = std::filesystem;
using test::Service;

constexpr Steps kQuickServerPowerSteps{3};

// What a client was told, and after how many calls of the server and its workers.
struct Confirmed {
  std::string what;
  std::size_t calls;
  std::function<bool(const Snapshot&)> holds;
};

// A server's day: its calls, and what it confirmed meanwhile.
struct Day {
  Recording recording;
  std::vector<Confirmed> confirmed;
  Snapshot end;
  fs::path data;
};

std::function<bool(const Snapshot&)> has_file(const std::string& name) {
  return [name](const Snapshot& state) { return state.contains(name); };
}

// A job file that says so.
std::function<bool(const Snapshot&)> has_state(const std::string& name, const std::string& state) {
  return [=](const Snapshot& all) {
    const auto found = all.find(name);
    if (found == all.end()) return false;
    const auto job = nlohmann::json::parse(found->second, nullptr, false);
    return job.is_object() && job.value("state", "") == state;
  };
}

Day record() {
  DisturbedService service;
  const test::Sandbox logs;
  Day day;
  fs::create_directory(service.file("data"));
  day.data = fs::canonical(service.file("data"));
  test::Launch launch{Service::serve_command()};
  launch.environment = environment_of(day.data, no_fault(), 0, logs.file("log"));
  REQUIRE(service.try_start(launch));
  const auto confirm = [&](const std::string& what, std::function<bool(const Snapshot&)> holds) {
    day.confirmed.push_back(
        {what, read_recording(logs.file("log")).events.size(), std::move(holds)});
  };
  const std::string key = service.upload("/v1/keys", "keys/public.fhe");
  const std::string home = "clients/alice/keys/" + key;
  confirm("the key", has_file(home + "/key.fhe"));
  std::vector<std::string> inputs;
  for (const char* const name : {"a.fhe", "b.fhe"}) {
    inputs.push_back(service.upload("/v1/keys/" + key + "/ciphertexts", name));
    confirm(name, has_file(fmt::format("{}/{}.fhe", home, inputs.back())));
  }
  const nlohmann::json request{
      {"key", key}, {"circuit", DisturbedService::kCircuit}, {"inputs", inputs}};
  const std::string job = service.expect(201, "POST", "/v1/jobs", request.dump()).at("id");
  const std::string job_file = fmt::format("clients/alice/jobs/{}/job.json", job);
  confirm("the job", has_file(job_file));
  test::eventually([&] { return service.state_of(job) == "done"; });
  confirm("that the job is done", has_state(job_file, "done"));
  confirm("the result", has_file(fmt::format("clients/alice/jobs/{}/result.fhe", job)));
  REQUIRE(service.stop(SIGTERM) == 0);
  day.recording = read_recording(logs.file("log"));
  day.end = snapshot(day.data);
  return day;
}

// What of that which was confirmed by then is not there.
std::string missing_in(const Image& image, const Day& day) {
  std::string missing;
  for (const Confirmed& confirmed : day.confirmed) {
    if (confirmed.calls <= image.calls && !confirmed.holds(image.state)) {
      missing += confirmed.what + " ";
    }
  }
  return missing;
}

void lose_power_of_server(Steps steps) {
  const Day day = record();
  std::vector<std::string> problems;
  std::set<std::string> lost;  // told once
  const std::vector<Image> images =
      images_of(Disk(day.data, {}), day.recording.events, day.end, [&](const Image& image) {
        const std::string missing = missing_in(image, day);
        if (missing.empty() || !lost.insert(missing).second) return;
        problems.push_back(fmt::format("power lost after call {}: lost {}", image.calls, missing));
      });
  for (const std::uint64_t number : chosen_of(images.size(), steps)) {
    const Image& image = images[number - 1];
    DisturbedService service;
    fs::create_directory(service.file("data"));
    lay_out(image.state, service.file("data"));
    const std::string problem = wrong_after_restart(service);
    if (problem.empty()) continue;
    problems.push_back(fmt::format("power lost after call {}: {}", image.calls, problem));
  }
  INFO(fmt::format("{} images\n{}", images.size(), fmt::join(problems, "\n")));
  CHECK(problems.empty());
}

}  // namespace

TEST_CASE("faults: some losses of power of a server", "[faults]") {
  lose_power_of_server(kQuickServerPowerSteps);
}

TEST_CASE("faults: power lost by a server", "[faults][.sweep]") {
  lose_power_of_server(kAll);
}

}  // namespace fhe::faults
