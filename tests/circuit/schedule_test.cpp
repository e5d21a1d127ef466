// SPDX-License-Identifier: Apache-2.0
// The order of a run: everything before its use, nothing twice, and within the memory allowed.
#include "libfhe/circuit/schedule.hpp"

#include <algorithm>
#include <set>

#include "tests/catch.hpp"
#include "tests/support/circuit_oracle.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

std::vector<bool> random_choice(Operands& random, const Netlist& netlist) {
  std::vector<bool> refreshed(netlist.wires());
  for (std::size_t i = 0; i < refreshed.size(); ++i) refreshed[i] = random.between(0, 2) == 0;
  return refreshed;
}

}  // namespace

TEST_CASE("a schedule makes everything once, before it is used", "[circuit]") {
  Operands random(5);
  for (const Netlist& netlist : {adder_circuit(16), comparator_circuit(8),
                                 multiplier_circuit(8, Prefer::low_depth), multiplier_circuit(8)}) {
    const std::vector<bool> refreshed = random_choice(random, netlist);
    const std::vector<WireValue> present = input_values(netlist);
    const Schedule schedule = make_schedule(netlist, refreshed, present);
    check_schedule(netlist, refreshed, present, schedule);
    CHECK(schedule.batches.size() < schedule.operations);
  }
}

TEST_CASE("a schedule without recryption has as many batches as the circuit is deep", "[circuit]") {
  const Netlist netlist = multiplier_circuit(8, Prefer::low_depth);
  const std::vector<bool> refreshed(netlist.wires());
  const Schedule schedule = make_schedule(netlist, refreshed, input_values(netlist));
  CHECK(schedule.batches.size() == costs(netlist).depth);
  CHECK(schedule.operations == netlist.gates().size());
}

TEST_CASE("less memory means smaller batches, and too little is refused", "[circuit]") {
  const Netlist netlist = multiplier_circuit(12);
  const std::vector<bool> refreshed(netlist.wires());
  const std::vector<WireValue> present = input_values(netlist);
  const Schedule wide = make_schedule(netlist, refreshed, present);
  const std::size_t allowed = wide.peak_values * 2 / 3;
  const Schedule narrow = make_schedule(netlist, refreshed, present, allowed);
  check_schedule(netlist, refreshed, present, narrow);
  CHECK(narrow.peak_values <= allowed);
  CHECK(narrow.operations == wide.operations);
  CHECK(narrow.batches.size() >= wide.batches.size());
  CHECK_THROWS_MATCHES(make_schedule(netlist, refreshed, present, 10), Error,
                       HasCode(ErrorCode::unsupported, "allow more memory"));
}

TEST_CASE("a schedule goes on from any values that a run left", "[circuit]") {
  Operands random(9);
  const Netlist netlist = multiplier_circuit(6);
  const std::vector<bool> refreshed = random_choice(random, netlist);
  const Schedule whole = make_schedule(netlist, refreshed, input_values(netlist));
  std::set<WireValue> alive;
  for (const WireValue& value : input_values(netlist)) alive.insert(value);
  std::size_t done = 0;
  for (const Batch& batch : whole.batches) {
    done += batch.operations.size();
    alive.insert(batch.operations.begin(), batch.operations.end());
    for (const WireValue& value : batch.dead) alive.erase(value);
    std::vector<WireValue> left = input_values(netlist);
    left.insert(left.end(), alive.begin(), alive.end());
    std::ranges::sort(left);
    left.erase(std::ranges::unique(left).begin(), left.end());
    const Schedule rest = make_schedule(netlist, refreshed, left);
    CHECK(rest.operations == whole.operations - done);
    check_schedule(netlist, refreshed, left, rest);
  }
}

TEST_CASE("inputs and gates that no output needs are left out", "[circuit]") {
  const Netlist netlist({{"x", 3}}, {{GateKind::and_gate, {0, 1}}, {GateKind::xor_gate, {0, 1}}},
                        {{"y", {4, 4, 0}}});
  const Schedule schedule = make_schedule(netlist, std::vector<bool>(5), input_values(netlist));
  CHECK(schedule.operations == 1);
  CHECK(schedule.unused == std::vector<WireValue>{{2, false}});
  REQUIRE(schedule.batches.size() == 1);
  CHECK(schedule.batches[0].dead == std::vector<WireValue>{{1, false}});
}

}  // namespace fhe::test
