// SPDX-License-Identifier: Apache-2.0
// The super-size multiplier with 128 points, alone and as an engine of the device: the models that
// only FHE_RTL_LARGE builds.
#include "SuperSize128Fermat64.h"
#include "SuperSize128Solinas.h"
#include "SuperSizeDatapath128.h"
#include "tests/accel/fpga/rtl/super_size_engine.hpp"
#include "tests/accel/fpga/rtl/super_size_keys.hpp"
#include "tests/accel/fpga/rtl/super_size_products.hpp"

namespace fhe::test {

namespace {

// The clocks of a sum of terms of 150,000 by 936 bits, as of CNT Toy, modulo a number: by the
// engine, behind a memory that answers after 24 clocks, and against GMP.
std::size_t clocks_of_toy_sum(std::size_t terms) {
  constexpr std::size_t kElement = 150'000, kWeight = 936;
  engine::EngineMachine<SuperSizeDatapath128, 224> machine;
  Operands operands(91);
  const Integer modulus = operands.exactly(kElement);
  machine.set_modulus(modulus, kWeight + 20);
  engine::Terms sum = engine::some_terms(machine, operands, terms, kElement, kWeight);
  engine::add_noise(machine, operands, sum);
  sum.request.reduces = true;
  sum.request.d = machine.reserve(kElement);
  const std::size_t clocks = machine.run(sum.request);
  CHECK(machine.load(sum.request.d) == sum.sum % modulus);
  return clocks;
}

}  // namespace

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

// A term takes the machine 8 clocks for each of 84 blocks, and 9. A line of 512 bits holds two of
// its words, so its ports wait for lines most of the time.
TEST_CASE("rtl super_size_engine: sums modulo a number with 128 points", "[rtl][long]") {
  constexpr std::size_t kMachine = 8 * 84 + 9;
  const std::size_t two = clocks_of_toy_sum(2);
  const std::size_t six = clocks_of_toy_sum(6);
  INFO(two << " and " << six << " clocks");
  CHECK((six - two) / 4 > 5 * kMachine);
  CHECK((six - two) / 4 < 6 * kMachine);
}

}  // namespace fhe::test
