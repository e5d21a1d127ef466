// A command on a machine that loses power.
#pragma once

#include "tests/faults/scene.hpp"
#include "tests/faults/sweep.hpp"

namespace fhe::faults {

// Records the scene, and judges every state, or so many of them, that a loss of power after each of
// its calls may leave. Once the command has succeeded, only the new state is right. Fails the test
// case with a list of what was wrong.
void lose_power(const Scene& scene, Steps steps);

}  // namespace fhe::faults
