// SPDX-License-Identifier: Apache-2.0
// Models of one thread that are gone in another order than the one they came in.
#include <memory>

#include <verilated.h>

#include "Fifo4.h"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Simulation;

TEST_CASE("no thread keeps the context of a model that is gone", "[rtl]") {
  const VerilatedContext* const shared =
      Verilated::defaultContextp();  // the thread's, if no other is
  const auto first = std::make_unique<Simulation<Fifo4>>();
  auto second = std::make_unique<Simulation<Fifo4>>();
  CHECK(Verilated::threadContextp() != shared);
  second.reset();
  CHECK(Verilated::threadContextp() == shared);
  (*first)->reset = 0;
  first->clocks(3);
}

}  // namespace
