// SPDX-License-Identifier: Apache-2.0
// A delay line so long that its words are in block RAM.
#include <cstddef>

#include "MemoryLine600.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/pipeline.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

TEST_CASE("rtl memory_line: words come out of block RAM as they went in", "[rtl]") {
  fhe::test::Simulation<MemoryLine600> line;
  fhe::test::Words words(51);
  fhe::test::check_pipeline(
      line, 600, 4000, [&] { return line->in = words.random(); }, [&] { return line->out; });
}
