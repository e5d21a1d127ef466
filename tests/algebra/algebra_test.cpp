// SPDX-License-Identifier: Apache-2.0
// The gates that are made of XOR, AND and NOT, on all inputs.
#include "libfhe/algebra/algebra.hpp"

#include <utility>

#include "tests/catch.hpp"

using namespace fhe;

namespace {

// Plain bits that count their ANDs.
struct CountingBits : PlainBits {
  int& ands;

  explicit CountingBits(int& count) : ands(count) {}
  [[nodiscard]] bool and_gate(bool x, bool y) const {
    ++ands;
    return PlainBits::and_gate(x, y);
  }
};

static_assert(BitAlgebra<const CountingBits>);

}  // namespace

TEST_CASE("gates made of others have their truth tables and at most one AND", "[algebra]") {
  for (int inputs = 0; inputs < 8; ++inputs) {
    const bool x = (inputs & 1) != 0;
    const bool y = (inputs & 2) != 0;
    const bool z = (inputs & 4) != 0;
    CAPTURE(x, y, z);
    int ands = 0;
    const CountingBits bits(ands);
    const auto costs = [&](int expected) { return std::exchange(ands, 0) == expected; };
    CHECK(xnor_of(bits, x, y) == (x == y));
    CHECK(costs(0));
    CHECK(nand_of(bits, x, y) == !(x && y));
    CHECK(costs(1));
    CHECK(nor_of(bits, x, y) == !(x || y));
    CHECK(costs(1));
    CHECK(or_of(bits, x, y) == (x || y));
    CHECK(costs(1));
    CHECK(mux_of(bits, x, y, z) == (x ? y : z));
    CHECK(costs(1));
    CHECK(majority_of(bits, x, y, z) == (x + y + z >= 2));
    CHECK(costs(1));
  }
}
