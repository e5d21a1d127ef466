// SPDX-License-Identifier: Apache-2.0
// The super-size multiplier with 128 points, the models that only FHE_RTL_LARGE builds.
#include "SuperSize128Fermat64.h"
#include "SuperSize128Solinas.h"
#include "tests/accel/fpga/rtl/super_size_keys.hpp"
#include "tests/accel/fpga/rtl/super_size_products.hpp"

namespace fhe::test {

TEST_CASE("rtl super_size: products with 128 points", "[rtl][long]") {
  check_products<SuperSize128Fermat64>({.points = 128, .digit = 24}, kFewLengths);
  check_products<SuperSize128Solinas>({.points = 128, .digit = 28}, kFewLengths);
}

// The published parameters, with the published schedule and with the shorter one.
TEST_CASE("rtl super_size: CNT Toy and CMNT Toy with 128 points", "[rtl][long]") {
  SuperSizeMachine<SuperSize128Solinas> machine({.points = 128, .digit = 28});
  for (const bool published : {true, false}) {
    const SuperSizeOptions options{.long_reciprocal = published, .overlap = !published};
    check_cnt(machine, "cnt-toy", options);
    check_cmnt(machine, "cmnt-toy", options);
  }
}

}  // namespace fhe::test
