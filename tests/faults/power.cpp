#include "tests/faults/power.hpp"

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/faults/disk.hpp"

namespace fhe::faults {

namespace {

using test::Sandbox;

// A state that a loss of power leaves, and after how many calls.
struct Image {
  Snapshot state;
  std::size_t calls;
  bool at_the_end;  // the command has succeeded
};

std::vector<Image> images_of(const Scene& scene) {
  const Sandbox sandbox;
  lay_out(scene.before, sandbox.path());
  const Ending ending = run_under(sandbox, {scene.command}, no_fault(), 0);
  INFO(scene.name << ": " << ending.outcome.err);
  REQUIRE(ending.outcome.exit_code == 0);
  Disk disk(std::filesystem::canonical(sandbox.path()), scene.before);
  const std::vector<Event>& events = ending.recording.events;
  std::set<Snapshot> known;
  std::vector<Image> images;
  for (std::size_t i = 0; i < events.size(); ++i) {
    disk.apply(events[i]);
    const bool last = i + 1 == events.size();
    for (const Snapshot& state : disk.images()) {
      if (known.insert(state).second || last) images.push_back({state, i + 1, last});
    }
  }
  // What was recorded is what was done.
  CHECK(disk.images().contains(snapshot(sandbox.path())));
  return images;
}

}  // namespace

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
