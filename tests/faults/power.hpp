// SPDX-License-Identifier: Apache-2.0
// Programs on a machine that loses power.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tests/faults/disk.hpp"
#include "tests/faults/scene.hpp"
#include "tests/faults/sweep.hpp"

namespace fhe::faults {

// A state that a loss of power may leave, and after how many calls.
struct Image {
  Snapshot state;
  std::size_t calls;
  bool at_the_end;
};

// The states that a loss of power after each call of a recording may leave: each once, but all
// those after the last call. `look` sees every state of every moment. Fails the test case when
// `end`, what the calls did leave, is not among the last.
[[nodiscard]] std::vector<Image> images_of(Disk disk, const std::vector<Event>& events,
                                           const Snapshot& end,
                                           const std::function<void(const Image&)>& look);

// Records the scene, and judges every state, or so many of them, that a loss of power after each of
// its calls may leave. Once the command has succeeded, only the new state is right. Fails the test
// case with a list of what was wrong.
void lose_power(const Scene& scene, Steps steps);

}  // namespace fhe::faults
