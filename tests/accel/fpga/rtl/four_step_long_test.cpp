// SPDX-License-Identifier: Apache-2.0
// Products in four steps of every size, and many of them.
#include <cstddef>

#include "ThroughputEngine13.h"
#include "ThroughputEngine16.h"
#include "tests/accel/fpga/rtl/four_step.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

using namespace four_step;

using ShortFourStep = FourStepEngine<ThroughputEngine13>;
using LongFourStep = FourStepEngine<ThroughputEngine16>;

}  // namespace

TEST_CASE("rtl four_step_product: 2^20 and 2^21 points, to the size of CNT Large", "[rtl][long]") {
  Operands operands(427);
  LongFourStep engine;
  engine.run(product(operands, 20000, 20000));
  engine.run(product(operands, 37794, 37794));
  engine.run(ones(45056, 45056));
  engine.run(square(operands.runs(45056 * kWordBits), 45056));
  engine.run(by_blocks(product(operands, 2000, 3000)));
  engine.run(cyclic(product(operands, 37794, 37797)));
  engine.run(cyclic(ones(45056, 45056)));
}

TEST_CASE("rtl four_step_product: random lengths and digits", "[rtl][long]") {
  Operands operands(428);
  Words stalls(429);
  ShortFourStep engine;
  for (int round = 0; round < 30; ++round) {
    const std::size_t words = kLeastWords << operands.between(0, 1);
    const std::size_t a_words = operands.between(0, words);
    Product random = product(operands, a_words, operands.between(0, words - a_words));
    if (operands.coin()) random.a = operands.runs(random.a_words * kWordBits);
    if (operands.coin()) random.b = operands.runs(random.b_words * kWordBits);
    if (operands.coin()) {
      random = cyclic(random);
    } else if (operands.coin()) {
      random = into(operands.between(1, random.d_words + 4000), random);
    }
    const bool even = operands.coin();
    engine.run(random, even ? nullptr : &stalls);
  }
}

}  // namespace fhe::test
