// SPDX-License-Identifier: Apache-2.0
// Products of integers in memory, block by block through the 768,000-bit multiplier, against GMP.
#include <cstddef>
#include <cstdint>

#include "BlockEngine.h"
#include "tests/accel/fpga/rtl/block_bench.hpp"
#include "tests/accel/fpga/rtl/block_products.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

constexpr std::size_t kHalf = 1536;  // words of a block of both operands

using Engine = BlockBench<BlockEngine>;

}  // namespace

TEST_CASE("rtl block_engine: products of one block, of many and of none", "[rtl]") {
  Operands operands(320);
  Engine engine;
  engine.run(product(operands, 1, 1));
  engine.run(ones(kHalf, kHalf));
  engine.run(product(operands, kHalf + 1, 20));
  engine.run(product(operands, 2000, 1600));
  engine.run(product(operands, 0, 30));
}

TEST_CASE("rtl block_engine: products that are added, and destinations that cut them", "[rtl]") {
  Operands operands(321);
  Engine engine;
  engine.run(added_to(operands.runs(3600 * kWordBits), product(operands, 1600, 2000)));
  engine.run(carried_through(into(3000, product(operands, 500, 1900))));
  engine.run(into(1700, product(operands, 900, 1000)));
  engine.run(into(4000, product(operands, 900, 1000)));
}

TEST_CASE("rtl block_engine: the bits above a tail", "[rtl]") {
  Operands operands(322);
  Engine engine;
  check_bits_above_tails(engine, product(operands, 20, 30));
}

TEST_CASE("rtl block_engine: all sides may stall", "[rtl]") {
  Operands operands(323);
  Words stalls(324);
  Engine engine;
  engine.run(product(operands, 1600, 300), &stalls);
  engine.run(added_to(operands.runs(3000 * kWordBits), into(3000, product(operands, 100, 1700))),
             &stalls);
}

TEST_CASE("rtl block_engine: a reset ends a product at any moment", "[rtl]") {
  Operands operands(325);
  Engine engine;
  for (const std::uint64_t clocks : {1U, 3U, 5U, 2000U, 30'000U, 38'000U, 41'000U})
    engine.abandon(product(operands, 2000, 100), clocks);
  engine.run(product(operands, 70, 80));
}

}  // namespace fhe::test
