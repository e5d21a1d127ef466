// SPDX-License-Identifier: Apache-2.0
// The super-size multiplier with 128 points, alone and as an engine of the device: the models that
// only FHE_RTL_LARGE builds.
#include <cstddef>
#include <utility>

#include "SuperSize128Solinas.h"
#include "SuperSizeDatapath128.h"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/register_map.hpp"
#include "accel/fpga/model/super_size_clocks.hpp"
#include "tests/accel/fpga/rtl/super_size_engine.hpp"
#include "tests/accel/fpga/rtl/super_size_keys.hpp"

namespace fhe::test {

namespace {

// A sum of terms of 150,000 by 936 bits, as of CNT Toy, modulo a number: by the engine, behind a
// memory that answers after 24 clocks, against GMP. Its clocks, and those of the law.
std::pair<std::size_t, std::size_t> clocks_of_toy_sum(std::size_t terms) {
  constexpr std::size_t kElement = 150'000, kWeight = 936, kGamma = kWeight + 20;
  constexpr std::uint32_t kWord = 224;
  engine::EngineMachine<SuperSizeDatapath128, kWord> machine;
  Operands operands(91);
  const Integer modulus = operands.exactly(kElement);
  machine.set_modulus(modulus, kGamma);
  engine::Terms sum = engine::some_terms(machine, operands, terms, kElement, kWeight);
  engine::add_noise(machine, operands, sum);
  sum.request.reduces = true;
  sum.request.d = machine.reserve(kElement);
  const std::size_t clocks = machine.run(sum.request);
  CHECK(machine.load(sum.request.d) == sum.sum % modulus);

  const fpga::SuperSizeClocks law(
      {.features = fpga::feature::ssmul, .ss_param = 7 | 28 << 8 | kWord << 16});
  const std::size_t foreseen =
      law.reduced_sum({.terms = terms, .element = kElement, .weight = kWeight, .affine = true},
                      fpga::barrett_shape(kElement, kGamma, kWord), kElement);
  return {clocks, foreseen};
}

}  // namespace

// The published parameters, with the published schedule and with the shorter one.
TEST_CASE("rtl super_size: CNT Toy and CMNT Toy with 128 points", "[rtl][long]") {
  SuperSizeMachine<SuperSize128Solinas> machine({.points = 128, .digit = 28});
  for (const bool published : {true, false}) {
    const SuperSizeOptions options{.long_reciprocal = published, .overlap = !published};
    check_cnt(machine, "cnt-toy", options);
    check_cmnt(machine, "cmnt-toy", options);
  }
}

// A term takes the machine 8 clocks for each of 84 blocks, and 9; the ports begin again with each.
TEST_CASE("rtl super_size_engine: sums modulo a number with 128 points", "[rtl][long]") {
  constexpr std::size_t kMachine = 8 * 84 + 9;
  const std::size_t two = clocks_of_toy_sum(2).first;
  const std::size_t six = clocks_of_toy_sum(6).first;
  INFO(two << " and " << six << " clocks");
  CHECK((six - two) / 4 > kMachine);
  CHECK((six - two) / 4 < kMachine * 6 / 5);
}

TEST_CASE("rtl super_size_engine: CNT Toy with 128 points takes the clocks of the law",
          "[rtl][long]") {
  const auto [clocks, foreseen] = clocks_of_toy_sum(158);
  INFO(clocks << " clocks, " << foreseen << " foreseen");
  CHECK(100 * clocks <= 102 * foreseen);
  CHECK(100 * foreseen <= 102 * clocks);
}

}  // namespace fhe::test
