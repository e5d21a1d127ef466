// SPDX-License-Identifier: Apache-2.0
// Functions of few bits: right, and with no more ANDs than said; all of three bits, some of more.
#include "libfhe/circuit/small_function.hpp"

#include <array>
#include <bit>
#include <vector>

#include "tests/catch.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

// The function as a circuit of one word of `inputs` bits, which is checked on all inputs.
Netlist checked_circuit(SmallTable table, std::size_t inputs) {
  NetlistBuilder builder;
  std::vector<WireBit> x;
  for (const Wire wire : builder.input("x", inputs)) x.emplace_back(builder, wire);
  builder.output("y", {small_function(table, x).value()});
  Netlist netlist = builder.build();
  SmallTable found = 0;
  for (unsigned m = 0; m < 1U << inputs; ++m) {
    if (evaluate_plain(netlist, bits_of(m, inputs)).at(0)) found |= SmallTable{1} << m;
  }
  CHECK(found == table);
  CHECK(costs(netlist).products <= ands_of(table, inputs));
  return netlist;
}

// The degree of a function of three bits: 3 if the sum of all its values is 1, 2 if that of one of
// its faces is, and so on down.
std::size_t degree_of(SmallTable table) {
  std::size_t degree = 0;
  for (unsigned face = 0; face < 8; ++face) {
    unsigned sum = 0;
    for (unsigned m = 0; m < 8; ++m) {
      if ((m & ~face) == 0) sum ^= static_cast<unsigned>(table >> m & 1U);
    }
    if (sum != 0) degree = std::max(degree, static_cast<std::size_t>(std::popcount(face)));
  }
  return degree;
}

}  // namespace

TEST_CASE("functions of three bits take one AND less than their degree", "[circuit]") {
  for (SmallTable table = 0; table < 256; ++table) {
    CAPTURE(table);
    const std::size_t ands = std::max<std::size_t>(degree_of(table), 1) - 1;
    CHECK(ands_of(table, 3) == ands);
    CHECK(costs(checked_circuit(table, 3)).products == ands);
  }
}

TEST_CASE("functions of four to six bits are right", "[circuit]") {
  Operands random(8);
  for (std::size_t inputs = 4; inputs <= kMostInputs; ++inputs) {
    const SmallTable all = ~SmallTable{0} >> (64 - (std::size_t{1} << inputs));
    constexpr std::array<std::size_t, 7> kMostAnds{0, 0, 0, 2, 5, 11, 23};
    for (int i = 0; i < 100; ++i) {
      const SmallTable table = random.bits(64).get_ui() & all;
      CHECK(ands_of(table, inputs) <= kMostAnds.at(inputs));
      static_cast<void>(checked_circuit(table, inputs));
    }
    SmallTable parity = 0;
    for (unsigned m = 0; m < 1U << inputs; ++m) {
      parity |= SmallTable{static_cast<unsigned>(std::popcount(m)) % 2} << m;
    }
    CHECK(ands_of(parity, inputs) == 0);
    CHECK(ands_of(SmallTable{1} << ((1U << inputs) - 1), inputs) == inputs - 1);
    static_cast<void>(checked_circuit(parity, inputs));
    static_cast<void>(checked_circuit(all, inputs));
  }
}

}  // namespace fhe::test
