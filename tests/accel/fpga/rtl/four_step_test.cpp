// SPDX-License-Identifier: Apache-2.0
// Products of 2^18 and 2^19 points in four steps.
#include "tests/accel/fpga/rtl/four_step.hpp"

#include <cstddef>
#include <cstdint>

#include "ThroughputEngine13.h"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

using namespace four_step;

using ShortFourStep = FourStepEngine<ThroughputEngine13>;

}  // namespace

TEST_CASE("rtl four_step_product: products of 2^18 points", "[rtl]") {
  Operands operands(420);
  ShortFourStep engine;
  engine.run(product(operands, 5632, 5632));
  engine.run(product(operands, 11000, 264));
  engine.run(product(operands, 0, 3));
  engine.run(into(kLeastWords + 700, product(operands, 5000, 6000)));
  engine.run(into(7001, product(operands, 5000, 6000)));
}

TEST_CASE("rtl four_step_product: carries run over the ends of rows", "[rtl]") {
  ShortFourStep engine;
  engine.run(ones(5632, 5632));  // digits of all rows are zero once what is pending is added
  engine.run(square(all_ones(5632 * kWordBits), 5632));
  engine.run(ones(8000, 3264));
  engine.run(carry_chain(5000 * kWordBits, 5500 * kWordBits + 3));
}

TEST_CASE("rtl four_step_product: squares, and products of 2^19 points", "[rtl]") {
  Operands operands(421);
  ShortFourStep engine;
  engine.run(square(operands.bits(5632 * kWordBits), 5632));
  engine.run(product(operands, 10000, 12528));
}

TEST_CASE("rtl four_step_product: the bits above a tail", "[rtl]") {
  Operands operands(422);
  ShortFourStep engine;
  check_bits_above_tails(engine, product(operands, 300, 250));
}

TEST_CASE("rtl four_step_product: cyclic products", "[rtl]") {
  constexpr std::size_t kBits = kLeastWords * kWordBits;
  Operands operands(430);
  ShortFourStep engine;
  engine.run(cyclic(product(operands, kLeastWords, kLeastWords)));
  engine.run(cyclic(product(operands, 9000, 7000)));
  engine.run(cyclic(ones(kLeastWords, kLeastWords)));
  engine.run(cyclic(power_less_one(kBits - 1, kBits - 1)));
  engine.run(cyclic(power_less_one(kBits - 512 * 100, 512 * 77 + 5)));
  CHECK_FALSE(engine.carried());
  for (const std::size_t k : {4095U, 200'000U}) {
    engine.run(full_columns(k));
    CHECK(engine.carried());
  }
  engine.run(cyclic(product(operands, 2 * kLeastWords - 3, 2 * kLeastWords)));
}

TEST_CASE("rtl four_step_product: points of an operand that are kept", "[rtl]") {
  Operands operands(431);
  Words stalls(432);
  ShortFourStep engine;
  Product kept = product(operands, 5000, 6000);
  engine.run(kept, nullptr, Points::left);
  kept.a = operands.runs(5000 * kWordBits);
  engine.run(product(operands, 3000, 2000));
  engine.run(kept, nullptr, Points::taken);
  kept = cyclic(product(operands, 9000, kLeastWords));
  engine.run(kept, &stalls, Points::left);
  kept.a = operands.bits(9000 * kWordBits);
  engine.run(kept, &stalls, Points::taken);
}

TEST_CASE("rtl four_step_product: all sides may stall", "[rtl]") {
  Operands operands(423);
  Words stalls(424);
  ShortFourStep engine;
  engine.run(product(operands, 5000, 6000), &stalls);
  engine.run(square(operands.runs(4000 * kWordBits), 4000), &stalls);
}

TEST_CASE("rtl four_step_product: a reset ends a product at any moment", "[rtl]") {
  Operands operands(425);
  ShortFourStep engine;
  const Product abandoned = product(operands, 5000, 6000);
  // At the start, and in each sweep.
  for (const std::uint64_t clocks : {1U, 2U, 3U, 900U, 1950U, 50000U, 72000U, 150000U, 175000U}) {
    engine.abandon(abandoned, clocks);
    engine.run(by_blocks(product(operands, 50, 60)));
  }
  engine.run(abandoned);
}

}  // namespace fhe::test
