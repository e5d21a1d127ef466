// SPDX-License-Identifier: Apache-2.0
// Computed clocks of encryptions beside those that the simulated RTL has taken, and those that a
// device counts for products of polynomials.
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "apps/bench/device/encryption_clocks.hpp"
#include "apps/bench/device/polynomial_clocks.hpp"
#include "apps/bench/device/recryption_clocks.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::bench {

namespace {

bool is_near(std::uint64_t clocks, std::uint64_t expected) {
  return clocks > expected - expected / 50 && clocks < expected + expected / 50;
}

}  // namespace

// accel/fpga/rtl/device/README.md, "Clocks of the device"; tests/accel/fpga/backend runs them on
// the RTL.
TEST_CASE("clocks of encryptions are near those of the simulated device", "[bench]") {
  const EncryptionClocks toy = encryption_clocks(ParameterSet::named("cnt-toy"));
  CHECK(is_near(toy.dense, 451'599));
  CHECK(is_near(toy.sparse, 98'056));
  CHECK(is_near(toy.throughput, 46'220));
  const EncryptionClocks small = encryption_clocks(ParameterSet::named("cnt-small"));
  CHECK(is_near(small.dense, 8'763'758));
  CHECK(is_near(small.sparse, 1'939'227));
}

// Counted by the simulated RTL: accel/fpga/rtl/super_size/README.md.
TEST_CASE("the law of the super-size multiplier gives the clocks of the RTL", "[bench]") {
  const fpga::SuperSizeShape& shape = kSuperSizeDesigns.back().shape;
  const auto differs = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; };
  CHECK(differs(super_size_clocks(shape, ParameterSet::named("cnt-toy")), 108'802) < 16);
  CHECK(differs(super_size_clocks(shape, ParameterSet::named("cmnt-toy")), 107'608) < 16);
  CHECK(differs(super_size_clocks(shape, ParameterSet::named("cnt-toy-paper")), 110'096) < 16);
  CHECK(differs(super_size_clocks(shape, ParameterSet::named("cnt-small-paper")), 2'140'025) < 16);
}

// Of a real key, whose corrections are of other lengths.
TEST_CASE("clocks of a recryption by its law are those that the model counts", "[bench]") {
  for (const char* const name :
       {"cnt-mini", "cnt-toy", "cnt-toy-digits", "cmnt-toy-digits", "gh-512"}) {
    const KeyPair& keys = test::test_keys(name);
    const BackendPtr device = open_backend("fpga:model");
    const Evaluator evaluator(keys.public_key, device);
    const Ciphertext c = test::test_encryptor(keys).encrypt(true);
    const std::uint64_t before = device->counts().device_clocks;
    static_cast<void>(evaluator.recrypt(c));
    const std::uint64_t counted = device->counts().device_clocks - before;
    const std::uint64_t computed =
        recryption_clocks(ParameterSet::named(name), fpga::kStandardEquipment);
    CAPTURE(name, counted, computed);
    CHECK(10'000 * computed <= 10'010 * counted);
    CHECK(10'000 * counted <= 10'010 * computed);
  }
}

TEST_CASE("clocks of recryptions grow with the group", "[bench]") {
  std::uint64_t smaller = 0;
  for (const char* const name : {"cnt-toy", "cnt-small", "cnt-medium", "cnt-large"}) {
    const std::uint64_t clocks =
        recryption_clocks(ParameterSet::named(name), fpga::kStandardEquipment);
    CAPTURE(name, clocks, smaller);
    CHECK(clocks > 2 * smaller);
    smaller = clocks;
  }
}

TEST_CASE("clocks of a recryption at Large by products in four steps", "[bench]") {
  CHECK(is_near(recryption_clocks(ParameterSet::named("cnt-large"), fpga::kThroughputEquipment),
                228'383'631));
}

TEST_CASE("clocks of encryptions grow with the group", "[bench]") {
  EncryptionClocks smaller;
  for (const char* name : {"cnt-toy", "cnt-small", "cnt-medium", "cnt-large"}) {
    const EncryptionClocks clocks = encryption_clocks(ParameterSet::named(name));
    CHECK(clocks.dense > 5 * smaller.dense);
    CHECK(clocks.sparse > 5 * smaller.sparse);
    CHECK(clocks.sparse < clocks.dense);
    CHECK(clocks.throughput > 5 * smaller.throughput);
    CHECK(3 * clocks.throughput < clocks.dense);
    smaller = clocks;
  }
}

TEST_CASE("a device counts the clocks of products of polynomials, if it makes such", "[bench]") {
  const PolynomialDevice device("model=karatsuba");
  const std::vector<PolynomialMultiplier::Operands> batch(3, {{1, 2, 3}, {4, 5}});
  const auto run = device.multiply_all(97, batch);
  REQUIRE(run);
  CHECK(run->products == std::vector<Polynomial>(3, {4, 13, 22, 15}));
  CHECK(run->clocks_per_product > 1);
  CHECK_FALSE(device.multiply_all(power_of_two(64), batch));
  const Polynomial long_one(129, Integer(1));
  CHECK_FALSE(device.multiply_all(97, {{long_one, long_one}}));
  CHECK_THROWS_MATCHES(PolynomialDevice("model"), Error,
                       test::HasCode(ErrorCode::unsupported, "polynomial"));
}

}  // namespace fhe::bench
