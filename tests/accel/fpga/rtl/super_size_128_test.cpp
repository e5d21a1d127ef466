// SPDX-License-Identifier: Apache-2.0
// The super-size multiplier with 128 points modulo 2^64 + 1 and 2^64 - 2^32 + 1.
#include "SuperSize128Fermat64.h"
#include "SuperSize128Solinas.h"
#include "tests/accel/fpga/rtl/super_size_terms.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

TEST_CASE("rtl super_size: 128 points modulo 2^64 + 1", "[rtl][long]") {
  check_operations<SuperSize128Fermat64>({.points = 128, .digit = 24});
}

TEST_CASE("rtl super_size: 128 points modulo 2^64 - 2^32 + 1", "[rtl][long]") {
  check_operations<SuperSize128Solinas>({.points = 128, .digit = 28});
}

}  // namespace fhe::test
