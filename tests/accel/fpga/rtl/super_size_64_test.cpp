// SPDX-License-Identifier: Apache-2.0
// The super-size multiplier with 64 points modulo 2^32 + 1 and 2^32 - 2^20 + 1.
#include "SuperSize64Barrett.h"
#include "SuperSize64Fermat32.h"
#include "tests/accel/fpga/rtl/super_size_terms.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

TEST_CASE("rtl super_size: 64 points modulo 2^32 + 1", "[rtl]") {
  check_operations<SuperSize64Fermat32>({.points = 64, .digit = 8});
}

TEST_CASE("rtl super_size: 64 points modulo 2^32 - 2^20 + 1", "[rtl]") {
  check_operations<SuperSize64Barrett>({.points = 64, .digit = 12});
}

}  // namespace fhe::test
