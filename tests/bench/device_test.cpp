// Computed clocks of encryptions beside those that the simulated RTL has taken.
#include <cstdint>
#include <initializer_list>

#include "apps/bench/device/encryption_clocks.hpp"
#include "tests/catch.hpp"

namespace fhe::bench {

namespace {

bool is_near(std::uint64_t clocks, std::uint64_t expected) {
  return clocks > expected - expected / 50 && clocks < expected + expected / 50;
}

}  // namespace

// accel/fpga/README.md, "Clocks of the device"; tests/accel/fpga_backend runs them on the RTL.
TEST_CASE("clocks of encryptions are near those of the simulated device", "[bench]") {
  const EncryptionClocks toy = encryption_clocks(ParameterSet::named("cnt-toy"));
  CHECK(is_near(toy.dense, 451'599));
  CHECK(is_near(toy.sparse, 98'056));
  const EncryptionClocks small = encryption_clocks(ParameterSet::named("cnt-small"));
  CHECK(is_near(small.dense, 8'763'758));
  CHECK(is_near(small.sparse, 1'939'227));
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
