// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/power.hpp"

#include <fmt/format.h>

#include "tests/catch.hpp"

namespace fhe::faults {

namespace {

using test::Sandbox;

// Those of a scene whose command succeeds.
std::vector<Image> images_of(const Scene& scene) {
  const Sandbox sandbox;
  lay_out(scene.before, sandbox.path());
  const Ending ending = run_under(sandbox, {scene.command}, no_fault(), 0);
  INFO(scene.name << ": " << ending.outcome.err);
  REQUIRE(ending.outcome.exit_code == 0);
  return images_of(Disk(std::filesystem::canonical(sandbox.path()), scene.before),
                   ending.recording.events, snapshot(sandbox.path()), [](const Image&) {});
}

}  // namespace

std::vector<Image> images_of(Disk disk, const std::vector<Event>& events, const Snapshot& end,
                             const std::function<void(const Image&)>& look) {
  std::set<Snapshot> known;
  std::vector<Image> images;
  for (std::size_t i = 0; i < events.size(); ++i) {
    disk.apply(events[i]);
    const bool last = i + 1 == events.size();
    for (const Snapshot& state : disk.images()) {
      const Image image{state, i + 1, last};
      look(image);
      if (known.insert(state).second || last) images.push_back(image);
    }
  }
  // What was recorded is what was done.
  CHECK(disk.images().contains(end));
  return images;
}

void lose_power(const Scene& scene, Steps steps) {
  const std::vector<Image> images = images_of(scene);
  std::vector<std::string> problems;
  for (const std::uint64_t number : chosen_of(images.size(), steps)) {
    const Image& image = images[number - 1];
    const Sandbox sandbox;
    lay_out(image.state, sandbox.path());
    Allowed allowed{.old_state = !image.at_the_end, .leftovers = !image.at_the_end};
    allowed.loose = scene.between;
    allowed.loose.insert(scene.kept.begin(), scene.kept.end());
    const std::string problem = what_is_wrong(scene, sandbox, allowed);
    if (problem.empty()) continue;
    problems.push_back(
        fmt::format("{}, power lost after call {}: {}", scene.name, image.calls, problem));
  }
  INFO(fmt::format("{} images\n{}", images.size(), fmt::join(problems, "\n")));
  CHECK(problems.empty());
}

}  // namespace fhe::faults
