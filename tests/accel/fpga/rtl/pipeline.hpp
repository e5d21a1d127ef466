// SPDX-License-Identifier: Apache-2.0
// Modules with a fixed latency, fed a new input every clock.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

// `drive` sets new inputs and returns what must leave `latency` clocks later; `result` reads it. A
// module that can be held is held now and then, after a clock in which its memory_lines find into
// their rings.
template <class Model, class Drive, class Result>
void check_pipeline(Simulation<Model>& simulation, std::size_t latency, std::size_t trials,
                    Drive drive, Result result) {
  using Value = decltype(drive());
  Words holds(7);
  std::deque<Value> expected;
  std::size_t checked = 0;
  if constexpr (requires { simulation->advance; }) {
    simulation->advance = 1;
    simulation.clock();
  }
  for (std::size_t trial = 0; trial < trials; ++trial) {
    expected.push_back(drive());
    if constexpr (requires { simulation->advance; }) {
      simulation->advance = 0;
      while (holds.below(8) == 0) simulation.clock();
      simulation->advance = 1;
    }
    simulation.clock();
    if (expected.size() < latency) continue;
    if (!(result() == expected.front())) FAIL("trial " + std::to_string(trial));
    expected.pop_front();
    ++checked;
  }
  CHECK(checked == trials - latency + 1);
}

}  // namespace fhe::test
