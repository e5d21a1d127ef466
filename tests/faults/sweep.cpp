// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/sweep.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "tests/catch.hpp"

namespace fhe::faults {

namespace {

using test::Sandbox;

// How many calls of the undisturbed run the fault can befall.
std::uint64_t count_calls(const Scene& scene, const Fault& fault) {
  const Sandbox sandbox;
  lay_out(scene.before, sandbox.path());
  const Fault counting{"nothing", fault.calls};
  const Ending ending = run_under(sandbox, {scene.command}, counting, 0);
  INFO(scene.name << ": " << ending.outcome.err);
  REQUIRE(what_is_wrong(scene, sandbox, counting, ending).empty());
  REQUIRE(ending.recording.count > 0);
  return ending.recording.count;
}

// The call that was befallen, for the list.
std::string described(const Ending& ending) {
  for (const Event& event : ending.recording.events) {
    if (event.record.action == Action::none) continue;
    return fmt::format("{} {} {}", kCallNames[static_cast<std::size_t>(event.record.call)],
                       std::filesystem::path(event.path).filename().string(),
                       std::filesystem::path(event.target).filename().string());
  }
  return "no call";
}

// Runs the scene once; adds to `problems`. Returns whether the fault struck.
bool run_once(const Scene& scene, const Fault& fault, std::uint64_t at,
              std::vector<std::string>& problems) {
  const Sandbox sandbox;
  lay_out(scene.before, sandbox.path());
  const Ending ending = run_under(sandbox, {scene.command}, fault, at);
  const std::string problem = what_is_wrong(scene, sandbox, fault, ending);
  if (!problem.empty()) {
    problems.push_back(fmt::format("{}, {} call {} ({}): {}", scene.name, fault.name, at,
                                   described(ending), problem));
  }
  return ending.recording.struck();
}

}  // namespace

std::vector<std::uint64_t> chosen_of(std::uint64_t count, Steps steps) {
  const std::uint64_t most = steps.most == 0 ? count : std::min<std::uint64_t>(count, steps.most);
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t i = 0; i < most; ++i) {
    // A single one is in the middle.
    chosen.push_back(most == 1 ? (count + 1) / 2 : 1 + i * (count - 1) / (most - 1));
  }
  return chosen;
}

void sweep(const Scene& scene, const std::vector<Fault>& faults, Steps steps) {
  std::vector<std::string> problems;
  for (const Fault& fault : faults) {
    std::size_t struck = 0;
    for (const std::uint64_t at : chosen_of(count_calls(scene, fault), steps)) {
      if (run_once(scene, fault, at, problems)) ++struck;
    }
    INFO(scene.name << ": " << fault.name);
    CHECK(struck > 0);
  }
  INFO(fmt::format("{}", fmt::join(problems, "\n")));
  CHECK(problems.empty());
}

void sweep_threads(const std::function<Scene(std::size_t threads)>& scene,
                   const std::vector<Fault>& faults, Steps steps) {
  for (const std::size_t threads : {1U, 4U}) sweep(scene(threads), faults, steps);
}

}  // namespace fhe::faults
