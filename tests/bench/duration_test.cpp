// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/duration.hpp"

#include "tests/catch.hpp"

namespace fhe::test {

TEST_CASE("duration: three digits and the largest unit that fits", "[bench]") {
  using bench::duration;
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

}  // namespace fhe::test
