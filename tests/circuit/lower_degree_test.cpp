// SPDX-License-Identifier: Apache-2.0
// Products of lower degree: the same function, and carries whose degree grows by one.
#include "libfhe/circuit/lower_degree.hpp"

#include "tests/catch.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

// Degree in the inputs of the last bit of the output, factors taken as they are.
std::size_t degree_of(const Netlist& netlist) {
  std::vector<std::size_t> degrees(netlist.input_bits(), 1);
  for (const Gate& gate : netlist.gates()) {
    const bool sum = gate.kind != GateKind::and_gate;
    const auto degree = [&](std::size_t k) {
      return k < gate_inputs(gate.kind) ? degrees[gate.inputs.at(k)] : 0;
    };
    degrees.push_back(sum ? std::max(degree(0), degree(1)) : degree(0) + degree(1));
  }
  return degrees[netlist.output_wires().back()];
}

// x + y, or x - y, with carries (x + c)(y + c) + c.
Netlist doubling_adder(std::size_t width, bool subtract) {
  return two_word_circuit(width, [&](const auto& x, const auto& y) {
    auto carry = Bit<NetlistBuilder>::known(x.algebra(), false);
    std::vector<Bit<NetlistBuilder>> sum;
    for (std::size_t i = 0; i < x.width(); ++i) {
      sum.push_back(x[i] ^ y[i] ^ carry);
      const auto first = subtract ? ~x[i] ^ carry : x[i] ^ carry;
      carry = (first & (y[i] ^ carry)) ^ carry;
    }
    return Word<NetlistBuilder>(x.algebra(), std::move(sum));
  });
}

}  // namespace

TEST_CASE("the degree of a carry grows by one a bit, whatever its formula", "[circuit]") {
  constexpr std::size_t kWidth = 24;
  Operands random(2);
  for (const bool subtract : {false, true}) {
    const Netlist adder = doubling_adder(kWidth, subtract);
    const Netlist lower = with_lower_degree(adder);
    CHECK(degree_of(adder) > 1000000);
    CHECK(degree_of(lower) <= kWidth);
    CHECK(costs(lower).products == costs(adder).products);
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t x = random.bits(kWidth).get_ui();
      const std::uint64_t y = random.bits(kWidth).get_ui();
      const auto sum = evaluate_plain(lower, joined({bits_of(x, kWidth), bits_of(y, kWidth)}));
      CHECK(number_of(sum) == ((subtract ? x - y : x + y) & ((1U << kWidth) - 1)));
    }
  }
}

TEST_CASE("a product stays as it is where another form has the same degree", "[circuit]") {
  const std::vector<Gate> gates{
      {GateKind::xor_gate, {0, 2}}, {GateKind::xor_gate, {1, 2}}, {GateKind::and_gate, {3, 4}}};
  CHECK(with_lower_degree(Netlist({{"x", 3}}, gates, {{"y", {5}}})).gates() == gates);
}

TEST_CASE("what is lowered is the same function", "[circuit]") {
  Operands random(12);
  for (int i = 0; i < 400; ++i) {
    const Netlist netlist = random_circuit(random, 4, 30);
    const Netlist lower = with_lower_degree(netlist);
    CHECK(lower.inputs() == netlist.inputs());
    CHECK(costs(lower).products <= costs(simplified(netlist)).products);
    for (unsigned m = 0; m < 16; ++m) {
      const auto x = bits_of(m, 4);
      if (evaluate_plain(lower, x) == evaluate_plain(netlist, x)) continue;
      CAPTURE(i, m);
      CHECK(evaluate_plain(lower, x) == evaluate_plain(netlist, x));
    }
  }
}

}  // namespace fhe::test
