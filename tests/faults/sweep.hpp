// SPDX-License-Identifier: Apache-2.0
// A command under every fault, or under some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/faults/scene.hpp"

namespace fhe::faults {

// Which calls of a run a fault befalls: all, or so many at equal distances.
struct Steps {
  std::size_t most = 0;  // 0: all
};
inline constexpr Steps kAll{};

// Numbers from 1 to `count`: all, or so many from the first to the last.
[[nodiscard]] std::vector<std::uint64_t> chosen_of(std::uint64_t count, Steps steps);

// Runs the scene with each of the faults at each of the steps, and fails the test case with a list
// of what was wrong. Fails it too when a fault never struck.
void sweep(const Scene& scene, const std::vector<Fault>& faults, Steps steps);

// The same for scenes of one thread and of more than the machine may have.
void sweep_threads(const std::function<Scene(std::size_t threads)>& scene,
                   const std::vector<Fault>& faults, Steps steps);

}  // namespace fhe::faults
