// Computed clocks of encryptions beside those that the simulated RTL has taken.
#include <initializer_list>

#include "apps/bench/device/encryption_clocks.hpp"
#include "tests/catch.hpp"

namespace fhe::bench {

// accel/fpga/README.md, "Clocks of the device"; tests/accel/fpga_backend runs them on the RTL, where some
// take one reduction more, of 4 % of a sparse sum at most.
TEST_CASE("clocks of encryptions are near those of the simulated device", "[bench]") {
  const auto near = [](double clocks) { return Catch::Approx(clocks).epsilon(0.05); };
  const EncryptionClocks toy = encryption_clocks(ParameterSet::named("cnt-toy"));
  CHECK(static_cast<double>(toy.dense) == near(740'474));
  CHECK(static_cast<double>(toy.sparse) == near(189'309));
  const EncryptionClocks small = encryption_clocks(ParameterSet::named("cnt-small"));
  CHECK(static_cast<double>(small.dense) == near(23'753'190));
  CHECK(static_cast<double>(small.sparse) == near(2'129'323));
}

TEST_CASE("clocks of encryptions grow with the group", "[bench]") {
  EncryptionClocks smaller;
  for (const char* name : {"cnt-toy", "cnt-small", "cnt-medium", "cnt-large"}) {
    const EncryptionClocks clocks = encryption_clocks(ParameterSet::named(name));
    CHECK(clocks.dense > 5 * smaller.dense);
    CHECK(clocks.sparse > 5 * smaller.sparse);
    CHECK(clocks.sparse < clocks.dense);
    smaller = clocks;
  }
}

}  // namespace fhe::bench
