// SPDX-License-Identifier: Apache-2.0
// Products of long integers in memory by a stream of blocks, against GMP, and their clocks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "StreamEngine.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/block_bench.hpp"
#include "tests/accel/fpga/rtl/block_products.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace {

using fhe::Integer;
using fhe::test::added_to;
using fhe::test::all_ones;
using fhe::test::BlockBench;
using fhe::test::carried_through;
using fhe::test::into;
using fhe::test::kWordBits;
using fhe::test::ones;
using fhe::test::Operands;
using fhe::test::Product;
using fhe::test::product;
using fhe::test::Words;

constexpr std::size_t kHalf = 1536;
constexpr std::uint64_t kPair = 49'152;  // clocks of two products

using Engine = BlockBench<StreamEngine>;

}  // namespace

TEST_CASE("rtl stream_engine: products of blocks", "[rtl]") {
  Operands operands(300);
  Engine engine;
  engine.run(product(operands, 2000, 1600));           // 2 by 2
  engine.run(product(operands, 2 * kHalf + 1, 3000));  // 3 by 2, of one word the last ones
  engine.run(ones(2 * kHalf, 2 * kHalf));
  engine.run(product(operands, kHalf, 3 * kHalf));  // operands of half a transform
  engine.run(product(operands, 500, 8000));         // and of more
  engine.run(product(operands, 8000, kHalf - 1));
  engine.run(ones(2 * kHalf, 1));
}

TEST_CASE("rtl stream_engine: products of one block, and of none", "[rtl]") {
  Operands operands(301);
  Engine engine;
  engine.run(product(operands, 1, 1));
  engine.run(product(operands, kHalf, kHalf));
  engine.run(ones(20, 2 * kHalf - 20));
  engine.run(product(operands, 0, 0));
  engine.run(product(operands, 0, 3500));
  engine.run(added_to(all_ones(300 * kWordBits), into(300, product(operands, 100, 0))));
}

TEST_CASE("rtl stream_engine: products that are added", "[rtl]") {
  Operands operands(302);
  Engine engine;
  const auto old = [&](std::size_t words) { return operands.runs(words * kWordBits); };
  engine.run(added_to(old(3600), product(operands, 1600, 2000)));
  engine.run(added_to(old(9000), into(9000, product(operands, 3200, 2000))));
  engine.run(carried_through(into(6000, product(operands, 500, 4000))));
  engine.run(carried_through(product(operands, 2 * kHalf, 2 * kHalf)));
  engine.run(added_to(all_ones(4 * kHalf * kWordBits), ones(2 * kHalf, 2 * kHalf)));
}

TEST_CASE("rtl stream_engine: destinations that are longer, and that cut a product", "[rtl]") {
  Operands operands(303);
  Engine engine;
  engine.run(into(7000, product(operands, 1600, 2000)));
  for (const std::size_t words : {1U, 1536U, 1537U, 3073U})
    engine.run(into(words, product(operands, 2000, 3100)));
  engine.run(added_to(operands.bits(2500 * kWordBits), into(2500, ones(2000, 2000))));
}

TEST_CASE("rtl stream_engine: the bits above a tail", "[rtl]") {
  Operands operands(304);
  Engine engine;
  Product checked = product(operands, 1600, 3200);
  checked.a >>= kWordBits - 100;  // 100 bits of the last word
  checked.b >>= kWordBits - 7;
  checked.a_tail = 100;
  checked.b_tail = 7;
  engine.run(checked);
  CHECK_FALSE(engine.pad_error());
  Product wrong = checked;
  wrong.b += Integer(1) << (3199 * kWordBits + 7);
  wrong.b_tail = 0;  // all bits are used
  engine.run(wrong);
  CHECK_FALSE(engine.pad_error());
  wrong.b_tail = 7;
  engine.run(wrong);
  CHECK(engine.pad_error());
  Engine other;
  wrong = checked;
  wrong.a += Integer(1) << (1600 * kWordBits - 1);
  other.run(wrong);
  CHECK(other.pad_error());
}

TEST_CASE("rtl stream_engine: all sides may stall", "[rtl]") {
  Operands operands(305);
  Words stalls(306);
  Engine engine;
  engine.run(product(operands, 2000, 3100), &stalls);
  engine.run(added_to(operands.runs(7000 * kWordBits), into(7000, product(operands, 900, 5000))),
             &stalls);
}

TEST_CASE("rtl stream_engine: a reset ends a product at any moment", "[rtl]") {
  Operands operands(307);
  Engine engine;
  const Product abandoned = product(operands, 2000, 4000);
  // Before the first block is found, in its load, in its transforms, while the first product is
  // added, while it is drained, in the second one and in a later one.
  for (const std::uint64_t clocks :
       {1U, 3U, 5U, 2000U, 30'000U, 54'000U, 56'390U, 58'000U, 105'000U})
    engine.abandon(abandoned, clocks);
  engine.run(product(operands, 1700, 1800));
}

#ifndef FHE_NETLIST  // which would take a quarter of an hour
TEST_CASE("rtl stream_engine: its clocks", "[rtl]") {
  Operands operands(308);
  Engine engine;
  std::vector<std::uint64_t> clocks{0};
  for (std::size_t blocks = 1; blocks <= 4; ++blocks)
    clocks.push_back(engine.run(product(operands, kHalf, blocks * kHalf)));
  // Both operands of the first product share the read port: a word of each in 2 clocks where
  // the beats take one in 4/3. The rest is memory, and the control.
  CHECK(clocks[1] == 55'326 + kHalf * 2 / 3 + 55);
  CHECK(clocks[2] == clocks[1] + 4148);
  CHECK(clocks[3] == clocks[1] + kPair);
  CHECK(clocks[4] == clocks[2] + kPair);
  const Product ten = product(operands, 10 * kHalf, kHalf);
  CHECK(engine.run(ten) == clocks[2] + 4 * kPair);
  // The words of the last two blocks above their products, and those that are asked for first.
  const Product four = product(operands, 4 * kHalf, kHalf);
  CHECK(engine.run(added_to(four.a, four)) == clocks[4] + kHalf + 31);
  CHECK(engine.run(product(operands, 1, 1)) < clocks[1]);
}

TEST_CASE("rtl stream_engine: many blocks, random lengths", "[rtl][long]") {
  Operands operands(309);
  Words stalls(310);
  Engine engine;
  for (int round = 0; round < 40; ++round) {
    Product random = product(operands, operands.between(0, operands.coin() ? 6000 : 1600),
                             operands.between(0, 6000));
    if (operands.coin()) random = into(operands.between(1, random.d_words + 4000), random);
    if (operands.coin()) random = added_to(operands.runs(random.d_words * kWordBits), random);
    engine.run(random, operands.coin() ? &stalls : nullptr);
  }
}
#endif
