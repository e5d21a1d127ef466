// SPDX-License-Identifier: Apache-2.0
// Circuits as data: their shape is checked, their costs counted, their digests distinct.
#include "libfhe/circuit/netlist.hpp"

#include <set>

#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/lower_degree.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

HasCode refused(const std::string& part) {
  return HasCode(ErrorCode::invalid_argument, part);
}

// Every gate on three input bits, each with an output of its own.
Netlist one_of_each() {
  std::vector<Gate> gates;
  std::vector<OutputWord> outputs;
  for (std::size_t k = 0; k < kGateKinds; ++k) {
    gates.push_back({static_cast<GateKind>(k), {0, 1, 2}});
    outputs.push_back({std::string(to_string(gates.back().kind)), {static_cast<Wire>(3 + k)}});
  }
  return {{{"x", 1}, {"yz", 2}}, gates, outputs};
}

// The outputs of one_of_each(), in C++.
std::vector<bool> expected_of_each(bool x, bool y, bool z) {
  return {false, true, x, !x, x != y, x == y, x && y, !(x && y), x || y, !(x || y), x ? y : z};
}

Netlist xor_of(std::vector<InputWord> inputs, std::array<Wire, 3> wires,
               std::vector<OutputWord> outputs) {
  return {std::move(inputs), {{GateKind::xor_gate, wires}}, std::move(outputs)};
}

}  // namespace

TEST_CASE("every kind of gate computes its function, and so does its simplified form",
          "[circuit]") {
  const Netlist netlist = one_of_each();
  const Netlist simple = simplified(netlist);
  for (unsigned row = 0; row < 8; ++row) {
    CAPTURE(row);
    const std::vector<bool> inputs = bits_of(row, 3);
    const std::vector<bool> expected = expected_of_each(inputs[0], inputs[1], inputs[2]);
    CHECK(evaluate_plain(netlist, inputs) == expected);
    CHECK(evaluate_plain(simple, inputs) == expected);
  }
  for (const Gate& gate : simple.gates()) {
    CHECK((gate.kind <= GateKind::constant_1 || gate.kind == GateKind::not_gate ||
           gate.kind == GateKind::xor_gate || gate.kind == GateKind::and_gate));
  }
  CHECK(simple.inputs() == netlist.inputs());
}

TEST_CASE("the costs of a circuit are counted", "[circuit]") {
  const NetlistCosts each = costs(one_of_each());
  for (const std::size_t count : each.gates) CHECK(count == 1);
  CHECK(each.products == 5);
  CHECK(each.and_depth == 1);
  CHECK(each.depth == 1);
  const Netlist chain({{"x", 2}},
                      {{GateKind::and_gate, {0, 1}},
                       {GateKind::not_gate, {2}},
                       {GateKind::nor_gate, {0, 3}},
                       {GateKind::and_gate, {1, 1}}},
                      {{"y", {4}}, {"z", {5, 0}}});
  CHECK(costs(chain).products == 3);
  CHECK(costs(chain).and_depth == 2);
  CHECK(costs(chain).depth == 3);
  CHECK(chain.output_wires() == std::vector<Wire>{4, 5, 0});
}

TEST_CASE("a circuit of the wrong shape is refused", "[circuit]") {
  CHECK_NOTHROW(xor_of({{"x", 2}}, {0, 1}, {{"y", {2}}}));
  CHECK_THROWS_MATCHES(xor_of({{"x", 2}}, {0, 2}, {{"y", {2}}}), Error,
                       refused("gate 0 (xor) uses wire 2"));
  CHECK_THROWS_MATCHES(xor_of({{"x", 2}}, {0, 7}, {{"y", {2}}}), Error, refused("wire 7"));
  CHECK_THROWS_MATCHES(xor_of({{"x", 2}}, {0, 1}, {{"y", {3}}}), Error,
                       refused("output 'y' is wire 3"));
  CHECK_THROWS_MATCHES(xor_of({{"x", 2}}, {0, 1}, {}), Error, refused("at least one output"));
  CHECK_THROWS_MATCHES(xor_of({{"x", 2}}, {0, 1}, {{"y", {}}}), Error, refused("no bits"));
  CHECK_THROWS_MATCHES(xor_of({{"x", 2}, {"u", 0}}, {0, 1}, {{"y", {2}}}), Error,
                       refused("input 'u' has no bits"));
  CHECK_THROWS_MATCHES(xor_of({{"x", 1}, {"x", 1}}, {0, 1}, {{"y", {2}}}), Error,
                       refused("two inputs called 'x'"));
  CHECK_THROWS_MATCHES(xor_of({{"x", 2}}, {0, 1}, {{"y", {2}}, {"y", {2}}}), Error,
                       refused("two outputs called 'y'"));
  CHECK_THROWS_MATCHES(xor_of({{"", 2}}, {0, 1}, {{"y", {2}}}), Error, refused("no name"));
  const std::size_t huge = std::size_t{1} << 63;
  CHECK_THROWS_MATCHES(xor_of({{"x", huge}, {"u", huge}}, {0, 1}, {{"y", {2}}}), Error,
                       refused("wires"));
}

TEST_CASE("a circuit takes exactly its input bits", "[circuit]") {
  const Netlist adder = adder_circuit(4);
  CHECK_THROWS_MATCHES(evaluate_plain(adder, bits_of(0, 7)), Error, refused("8 input bits, not 7"));
  CHECK_THROWS_MATCHES(evaluate_plain(adder, bits_of(0, 9)), Error, refused("8 input bits, not 9"));
}

TEST_CASE("circuits that differ have different digests", "[circuit]") {
  const std::vector<Netlist> circuits{
      xor_of({{"x", 2}}, {0, 1}, {{"y", {2}}}),
      xor_of({{"x", 2}}, {1, 0}, {{"y", {2}}}),
      xor_of({{"x", 1}, {"u", 1}}, {0, 1}, {{"y", {2}}}),
      xor_of({{"u", 2}}, {0, 1}, {{"y", {2}}}),
      xor_of({{"x", 2}}, {0, 1}, {{"v", {2}}}),
      xor_of({{"x", 2}}, {0, 1}, {{"y", {2, 0}}}),
      xor_of({{"x", 3}}, {0, 1}, {{"y", {3}}}),
      Netlist({{"x", 2}}, {{GateKind::xnor_gate, {0, 1}}}, {{"y", {2}}})};
  std::set<Digest> digests;
  for (const Netlist& circuit : circuits) digests.insert(circuit.digest());
  CHECK(digests.size() == circuits.size());
  CHECK(adder_circuit(4).digest() == adder_circuit(4).digest());
}

TEST_CASE("a digest tells where one output word ends", "[circuit]") {
  // The lengths of these names, and their bytes, are wires as well.
  const std::string a("a\0\0\0\0\0\0\0", 8);
  const std::string b("b\0\0\0\0\0\0\0", 8);
  const auto circuit = [](std::vector<OutputWord> outputs) {
    return Netlist({{"x", 100}}, {}, std::move(outputs));
  };
  CHECK(circuit({{"y", {1}}, {a, {8, 'b', 2}}}).digest() !=
        circuit({{"y", {1, 8, 'a'}}, {b, {2}}}).digest());
}

TEST_CASE("a builder shares what is built twice and drops what is not needed", "[circuit]") {
  NetlistBuilder builder;
  const std::vector<Wire> x = builder.input("x", 2);
  const Wire both = builder.and_gate(x[0], x[1]);
  CHECK(builder.and_gate(x[1], x[0]) == both);
  CHECK(builder.not_gate(builder.not_gate(both)) == both);
  static_cast<void>(builder.xor_gate(x[0], both));  // leads nowhere
  const std::vector<Wire> u = builder.input("u", 1);
  builder.output("y", {builder.xor_gate(both, u[0])});
  const Netlist netlist = builder.build();
  CHECK(netlist.gates() ==
        std::vector<Gate>{{GateKind::and_gate, {0, 1}}, {GateKind::xor_gate, {3, 2}}});
  CHECK(netlist.inputs() == std::vector<InputWord>{{"x", 2}, {"u", 1}});
  CHECK_THROWS_MATCHES(NetlistBuilder().build(), Error, refused("at least one output"));
}

TEST_CASE("a builder builds nothing for what is known", "[circuit]") {
  NetlistBuilder builder;
  const std::vector<Wire> x = builder.input("x", 2);
  const Wire zero = builder.constant(false);
  const Wire one = builder.constant(true);
  const Wire other = builder.not_gate(x[0]);
  CHECK(builder.xor_gate(x[0], x[0]) == zero);
  CHECK(builder.xor_gate(x[0], other) == one);
  CHECK(builder.xor_gate(zero, x[0]) == x[0]);
  CHECK(builder.xor_gate(x[0], one) == other);
  CHECK(builder.and_gate(x[0], x[0]) == x[0]);
  CHECK(builder.and_gate(other, x[0]) == zero);
  CHECK(builder.and_gate(zero, x[0]) == zero);
  CHECK(builder.and_gate(x[0], one) == x[0]);
  CHECK(builder.not_gate(zero) == one);
  CHECK(builder.not_gate(one) == zero);
}

TEST_CASE("a simplified circuit keeps its words where outputs are constants or inputs",
          "[circuit]") {
  const Gate zero{GateKind::constant_0, {}};
  const Netlist netlist({{"x", 2}},
                        {zero, Gate{GateKind::and_gate, {0, 2}}, Gate{GateKind::xor_gate, {1, 3}}},
                        {{"known", {3}}, {"same", {4, 0}}});
  const Netlist simple = simplified(netlist);
  CHECK(simple.outputs() == std::vector<OutputWord>{{"known", {2}}, {"same", {1, 0}}});
  CHECK(simple.inputs() == netlist.inputs());
  CHECK(simple.gates() == std::vector<Gate>{zero});
  CHECK(costs(with_lower_degree(netlist)).products == 0);
}

TEST_CASE("a builder refuses wires that it did not give, and too many of them", "[circuit]") {
  NetlistBuilder builder;
  const Wire x = builder.input("x", 2).back();
  const HasCode foreign = refused("wire 7 is none of the 2 that the builder gave");
  CHECK_THROWS_MATCHES(builder.xor_gate(x, 7), Error, foreign);
  CHECK_THROWS_MATCHES(builder.and_gate(7, x), Error, foreign);
  CHECK_THROWS_MATCHES(builder.not_gate(7), Error, foreign);
  CHECK_THROWS_MATCHES(builder.output("y", {x, 7}), Error, foreign);
  for (const std::size_t width : {kMaxWires - 2, kMaxWires, ~std::size_t{0}}) {
    CHECK_THROWS_MATCHES(builder.input("wide", width), Error,
                         refused("fewer than 2147483648 wires"));
  }
  builder.output("y", {x});
  CHECK(builder.build().wires() == 2);
}

}  // namespace fhe::test
