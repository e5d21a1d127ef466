// SPDX-License-Identifier: Apache-2.0
// The tasks of a circuit: everything before its use, nothing twice, within the memory allowed, and
// as fast as list scheduling has it.
#include "libfhe/circuit/task_graph.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "libfhe/circuit/scheduled_cost.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuit_oracle.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

// A plan that recrypts some wires, with noise that grows with their numbers.
RefreshPlan random_plan(Operands& random, const Netlist& netlist) {
  RefreshPlan plan;
  for (std::uint32_t wire = 0; wire < netlist.wires(); ++wire) {
    plan.refreshed.push_back(random.between(0, 2) == 0);
    plan.noise.push_back(NoiseBound::from_units(1000 + wire));
  }
  plan.recryptions = static_cast<std::size_t>(std::ranges::count(plan.refreshed, true));
  return plan;
}

RefreshPlan no_recryptions(const Netlist& netlist) {
  return {.refreshed = std::vector<bool>(netlist.wires()),
          .noise = std::vector<NoiseBound>(netlist.wires())};
}

TaskGraph graph_of(const Netlist& netlist, const RefreshPlan& plan,
                   const std::vector<WireValue>& present, const TaskCosts& costs = {}) {
  return {netlist, plan, NoiseBound::from_units(7), present, costs};
}

TaskGraph graph_of(const Netlist& netlist, const RefreshPlan& plan, const TaskCosts& costs = {}) {
  return graph_of(netlist, plan, input_values(netlist), costs);
}

// x0, x0 + x1, (x0 + x1) + x2, ...: a chain, and as many ANDs of its links with x0.
Netlist chain_with_products(std::size_t links) {
  NetlistBuilder builder;
  const std::vector<Wire> x = builder.input("x", links + 1);
  std::vector<Wire> outputs;
  Wire link = x[0];
  for (std::size_t i = 1; i <= links; ++i) {
    link = builder.xor_gate(link, x[i]);
    outputs.push_back(builder.and_gate(link, x[0]));
  }
  builder.output("y", outputs);
  return builder.build();
}

}  // namespace

TEST_CASE("tasks make everything once, before it is used", "[circuit]") {
  Operands random(5);
  for (const Netlist& netlist : {adder_circuit(16), comparator_circuit(8),
                                 multiplier_circuit(8, Prefer::low_depth), multiplier_circuit(8)}) {
    const RefreshPlan plan = random_plan(random, netlist);
    const TaskGraph graph = graph_of(netlist, plan);
    for (const std::size_t workers : {1U, 2U, 7U, 1000U}) {
      for (const std::size_t window : {std::size_t{1}, std::size_t{9}, graph.tasks().size()}) {
        check_tasks(netlist, plan.refreshed, graph, window, workers);
      }
    }
  }
}

TEST_CASE("a task says what it does, with which noise and at which cost", "[circuit]") {
  // y = ((x0 recrypted) AND x1) + x2.
  const Netlist netlist({{"x", 3}}, {{GateKind::and_gate, {0, 1}}, {GateKind::xor_gate, {3, 2}}},
                        {{"y", {4}}});
  RefreshPlan plan = no_recryptions(netlist);
  plan.refreshed[0] = true;
  for (std::uint32_t wire = 0; wire < 5; ++wire) plan.noise[wire] = NoiseBound::from_units(wire);
  const TaskGraph graph = graph_of(netlist, plan, {.sum = 1, .product = 10, .recryption = 100});
  REQUIRE(graph.tasks().size() == 3);
  const auto& [recryption, product, sum] =
      std::tie(graph.tasks()[0], graph.tasks()[1], graph.tasks()[2]);
  CHECK(recryption.makes == WireValue{0, true});
  CHECK(recryption.kind == TaskKind::recryption);
  CHECK(recryption.noise == NoiseBound::from_units(7));
  CHECK(recryption.chain == 111);
  CHECK(product.makes == WireValue{3, false});
  CHECK(product.kind == TaskKind::product);
  CHECK(product.noise == NoiseBound::from_units(3));
  CHECK(product.chain == 11);
  CHECK(sum.kind == TaskKind::sum);
  CHECK(sum.cost == 1);
  CHECK(graph.total_cost() == 111);
  CHECK(graph.longest_chain() == 111);
  CHECK(graph.count(TaskKind::recryption) == 1);
  CHECK(graph.uses(0) == 1);
  CHECK(graph.noise(1) == NoiseBound::from_units(1));
  CHECK(graph.name(graph.made_by(2)) == WireValue{4, false});
}

TEST_CASE("less memory means that fewer tasks run ahead, and too little is refused", "[circuit]") {
  const Netlist netlist = multiplier_circuit(12);
  const RefreshPlan plan = no_recryptions(netlist);
  const TaskGraph graph = graph_of(netlist, plan);
  const std::size_t all = graph.window_within({});
  CHECK(all == graph.tasks().size());
  std::size_t before = graph.most_values(1);
  for (std::size_t window = 2; window < all; window += 7) {
    CHECK(graph.most_values(window) >= before);
    before = graph.most_values(window);
  }
  for (std::size_t allowed = graph.most_values(1); allowed < graph.most_values(all); allowed += 5) {
    const std::size_t window = graph.window_within(allowed);
    CHECK(graph.most_values(window) <= allowed);
    CHECK(graph.most_values(window + 1) > allowed);
    check_tasks(netlist, plan.refreshed, graph, window, 100);
  }
  CHECK_THROWS_MATCHES(graph.window_within(graph.most_values(1) - 1), Error,
                       HasCode(ErrorCode::unsupported, "allow more memory"));
}

TEST_CASE("tasks go on from any values that a run left", "[circuit]") {
  Operands random(9);
  const Netlist netlist = multiplier_circuit(6);
  const RefreshPlan plan = random_plan(random, netlist);
  const TaskGraph whole = graph_of(netlist, plan);
  TaskQueue queue(whole, whole.tasks().size());
  std::set<WireValue> alive;
  for (const WireValue& value : input_values(netlist)) alive.insert(value);
  std::size_t left = whole.tasks().size();
  while (queue.ready() > 0) {
    for (const TaskIndex task : queue.take(1 + left % 3)) {
      alive.insert(whole.tasks()[task].makes);
      for (const ValueIndex dead : queue.finish(task)) {
        // Inputs are always there.
        if (!whole.is_present(dead)) alive.erase(whole.name(dead));
      }
      --left;
    }
    const TaskGraph rest = graph_of(netlist, plan, {alive.begin(), alive.end()});
    CHECK(rest.tasks().size() == left);
    check_tasks(netlist, plan.refreshed, rest, left + 1, 3);
  }
  CHECK(left == 0);
}

TEST_CASE("inputs and gates that no output needs are left out", "[circuit]") {
  const Netlist netlist({{"x", 3}}, {{GateKind::and_gate, {0, 1}}, {GateKind::xor_gate, {0, 1}}},
                        {{"y", {4, 4, 0}}});
  const TaskGraph graph = graph_of(netlist, no_recryptions(netlist));
  CHECK(graph.tasks().size() == 1);
  CHECK(graph.present() == std::vector<WireValue>{{0, false}, {1, false}});
  CHECK(graph.outputs() == std::vector<ValueIndex>{2, 2, 0});
  CHECK(graph.uses(2) == 2);
  CHECK(graph.uses(0) == 2);
}

TEST_CASE("list scheduling is as fast as its bounds say", "[circuit]") {
  Operands random(3);
  for (const Netlist& netlist :
       {adder_circuit(16), multiplier_circuit(8), comparator_circuit(12)}) {
    const TaskGraph graph = graph_of(netlist, random_plan(random, netlist));
    CHECK(scheduled_cost(graph, 1) == graph.total_cost());
    CHECK(scheduled_cost(graph, graph.tasks().size()) == graph.longest_chain());
    for (const std::size_t workers : {2U, 4U, 16U, 64U}) {
      const double cost = scheduled_cost(graph, workers);
      const double share = graph.total_cost() / static_cast<double>(workers);
      CHECK(cost >= std::max(share, graph.longest_chain()));
      CHECK(cost <= share + graph.longest_chain());
    }
  }
}

TEST_CASE("what has the most work behind it comes first", "[circuit]") {
  constexpr std::size_t kLinks = 50;
  const Netlist netlist = chain_with_products(kLinks);
  const TaskCosts costs{.sum = 10, .product = 10};
  const TaskGraph graph = graph_of(netlist, no_recryptions(netlist), costs);
  CHECK(graph.longest_chain() == 10 * (kLinks + 1));
  // Two workers: one for the chain, one for the products.
  CHECK(scheduled_cost(graph, 2) == graph.longest_chain());
}

}  // namespace fhe::test
