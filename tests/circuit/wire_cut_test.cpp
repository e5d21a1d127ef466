// SPDX-License-Identifier: Apache-2.0
// Smallest cuts: against all sets of wires of small circuits, and on long and wide ones.
#include <bit>

#include "libfhe/circuit/refresh_bound.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

// Whether no way over sums leads from one of `from` to one of `to` past all wires of `cut`.
bool separates(const Netlist& netlist, const std::vector<bool>& from, const std::vector<bool>& to,
               const std::vector<bool>& cut) {
  std::vector<bool> reached = from;
  for (Wire wire = 0; wire < netlist.wires(); ++wire) {
    const Gate* const gate = netlist.driver(wire);
    for (std::size_t k = 0; gate != nullptr && k < gate_inputs(gate->kind); ++k) {
      if (!is_product(gate->kind) && reached[gate->inputs.at(k)]) reached[wire] = true;
    }
    if (cut[wire]) reached[wire] = false;
    if (reached[wire] && to[wire]) return false;
  }
  return true;
}

std::vector<bool> flags_of(const std::vector<Wire>& wires, std::size_t count) {
  std::vector<bool> flags(count);
  for (const Wire wire : wires) flags[wire] = true;
  return flags;
}

std::size_t fewest(const Netlist& netlist, const std::vector<bool>& from,
                   const std::vector<bool>& to) {
  std::size_t best = netlist.wires();
  for (std::uint64_t set = 0; set < std::uint64_t{1} << netlist.wires(); ++set) {
    const auto size = static_cast<std::size_t>(std::popcount(set));
    if (size < best && separates(netlist, from, to, bits_of(set, netlist.wires()))) best = size;
  }
  return best;
}

std::vector<bool> random_flags(Operands& random, std::size_t count) {
  std::vector<bool> flags(count);
  for (std::size_t i = 0; i < count; ++i) flags[i] = random.between(0, 2) == 0;
  return flags;
}

}  // namespace

TEST_CASE("cuts of small circuits are cuts, and none is smaller", "[circuit]") {
  Operands random(9);
  std::size_t wires = 0;
  for (int i = 0; i < 200; ++i) {
    const Netlist netlist = random_circuit(random, 3, 8);
    const std::vector<bool> from = random_flags(random, netlist.wires());
    const std::vector<bool> to = random_flags(random, netlist.wires());
    const std::vector<Wire> cut = smallest_cut(netlist, from, to);
    CHECK(separates(netlist, from, to, flags_of(cut, netlist.wires())));
    CHECK(cut.size() == fewest(netlist, from, to));
    wires += cut.size();
  }
  CHECK(wires > 200);
}

TEST_CASE("of several smallest cuts the one nearest to the end is found", "[circuit]") {
  // 0 and 1 make 2, which makes 3 to 5 in a row; 6 is a product of 5.
  const Netlist netlist({{"x", 2}},
                        {{GateKind::xor_gate, {0, 1}},
                         {GateKind::not_gate, {2}},
                         {GateKind::copy, {3}},
                         {GateKind::not_gate, {4}},
                         {GateKind::and_gate, {5, 5}}},
                        {{"y", {6}}});
  const auto cut = [&](const std::vector<Wire>& from, const std::vector<Wire>& to) {
    return smallest_cut(netlist, flags_of(from, 7), flags_of(to, 7));
  };
  CHECK(cut({0, 1}, {4}) == std::vector<Wire>{4});
  CHECK(cut({0, 1}, {4, 5}) == std::vector<Wire>{4});
  CHECK(cut({0, 1}, {3, 1}) == std::vector<Wire>{1, 3});
  CHECK(cut({2}, {2}) == std::vector<Wire>{2});
  CHECK(cut({0, 1}, {6}).empty());
  CHECK(cut({5}, {4}).empty());
}

TEST_CASE("long and wide circuits are cut in reasonable time", "[circuit]") {
  constexpr std::size_t kWidth = 64;
  constexpr std::size_t kDepth = 1000;
  NetlistBuilder builder;
  std::vector<Wire> row = builder.input("x", kWidth);
  Operands random(6);
  for (std::size_t i = 0; i < kDepth; ++i) {
    const std::vector<Wire> before = row;
    for (std::size_t k = 0; k < kWidth; ++k) {
      row[k] = builder.xor_gate(before[k], before[random.between(0, kWidth - 1)]);
    }
  }
  builder.output("y", row);
  const Netlist netlist = builder.build();
  std::vector<bool> from(netlist.wires());
  for (std::size_t k = 0; k < kWidth; ++k) from[k] = true;
  const auto to = flags_of(netlist.output_wires(), netlist.wires());
  const std::vector<Wire> cut = smallest_cut(netlist, from, to);
  CHECK(separates(netlist, from, to, flags_of(cut, netlist.wires())));
  CHECK(cut.size() <= kWidth);
  CHECK(cut.size() > kWidth / 4);
}

}  // namespace fhe::test
