// SPDX-License-Identifier: Apache-2.0
// Quantities as text.
#include "apps/study/format.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

using namespace bench;

TEST_CASE("format: three digits and the largest unit that fits", "[bench]") {
  CHECK(duration(1.234e-9) == "1.23 ns");
  CHECK(duration(999.4e-9) == "999 ns");
  CHECK(duration(999.6e-9) == "1 us");
  CHECK(duration(0.00455) == "4.55 ms");
  CHECK(duration(0.05) == "50 ms");
  CHECK(duration(0.0999) == "99.9 ms");
  CHECK(duration(0.09996) == "100 ms");
  CHECK(duration(9.996) == "10 s");
  CHECK(duration(7200) == "7200 s");
  CHECK(duration(0) == "0 ns");
}

TEST_CASE("format: ratios and thousands", "[bench]") {
  CHECK(times(12) == "12.0x");
  CHECK(times(0.956) == "0.96x");
  CHECK(times(137.2) == "137x");
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(41146) == "41,146");
  CHECK(grouped(19575950) == "19,575,950");
}

}  // namespace fhe::test
