// SPDX-License-Identifier: Apache-2.0
// Circuits in parts: every part has what it takes, all of them make the outputs, and nothing dear
// is done twice; as fast as list scheduling, within what parts cost.
#include "libfhe/circuit/parts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "libfhe/circuit/run.hpp"
#include "libfhe/circuit/scheduled_cost.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuit_oracle.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

// A plan that recrypts every `every`-th wire; 0: none.
RefreshPlan plan_of_every(const Netlist& netlist, std::size_t every) {
  RefreshPlan plan{.refreshed = {}, .noise = std::vector<NoiseBound>(netlist.wires())};
  for (std::size_t wire = 0; wire < netlist.wires(); ++wire) {
    plan.refreshed.push_back(every > 0 && wire % every == 0);
  }
  return plan;
}

// What a part gives, on plain bits.
std::map<WireValue, Lanes> play_part(const Netlist& netlist, const TaskGraph& graph,
                                     const std::map<WireValue, Lanes>& there) {
  const LaneBits lanes;
  std::vector<Lanes> values;
  for (const WireValue& name : graph.present()) values.push_back(there.at(name));
  for (TaskIndex task = 0; task < graph.tasks().size(); ++task) {
    const auto operands = graph.operands(task);
    const WireValue makes = graph.tasks()[task].makes;
    values.push_back(makes.refreshed ? values[operands.front()]
                                     : apply(lanes, netlist.driver(makes.wire)->kind,
                                             [&](std::size_t k) { return values[operands[k]]; }));
  }
  std::map<WireValue, Lanes> given;
  for (const ValueIndex value : graph.outputs()) given.emplace(graph.name(value), values[value]);
  return given;
}

// Plays the parts one after the other; returns how often each recryption was done.
std::map<WireValue, int> play_parts(const Netlist& netlist, const RefreshPlan& plan,
                                    const std::vector<CircuitPart>& parts) {
  const std::vector<Lanes> expected = lane_values(netlist);
  std::map<WireValue, Lanes> there;
  for (const WireValue& name : input_values(netlist)) there.emplace(name, expected[name.wire]);
  std::map<WireValue, int> recrypted;
  for (const CircuitPart& part : parts) {
    REQUIRE(!part.gives.empty());
    const TaskGraph graph(netlist, plan, NoiseBound(), part.takes, part.gives);
    CHECK(graph.present() == part.takes);
    CHECK(graph.total_cost() <= part.cost);
    for (const Task& task : graph.tasks()) {
      if (task.kind == TaskKind::recryption) ++recrypted[task.makes];
    }
    for (const auto& [name, lanes] : play_part(netlist, graph, there)) {
      CHECK(lanes == expected[name.wire]);
      CHECK(there.emplace(name, lanes).second);
    }
  }
  for (const Wire wire : netlist.output_wires()) {
    CHECK(there.contains(value_in_use(wire, plan.refreshed)));
  }
  return recrypted;
}

// How long the parts take on so many workers, each handed out as soon as what it takes is there, in
// their order, at a cost of `each` beside its own.
double seconds_of_parts(const std::vector<CircuitPart>& parts, std::size_t workers, double each) {
  std::map<WireValue, double> there;
  std::multiset<double> free;
  for (std::size_t worker = 0; worker < workers; ++worker) free.insert(0);
  std::vector<const CircuitPart*> waiting;
  for (const CircuitPart& part : parts) waiting.push_back(&part);
  std::set<WireValue> given;
  for (const CircuitPart& part : parts) given.insert(part.gives.begin(), part.gives.end());
  double last = 0;
  while (!waiting.empty()) {
    // When each could start; the first of the earliest does.
    const auto start = [&](const CircuitPart* part) {
      double since = *free.begin();
      for (const WireValue& name : part->takes) {
        if (!given.contains(name)) continue;
        const auto found = there.find(name);
        since = found == there.end() ? 1e18 : std::max(since, found->second);
      }
      return since;
    };
    const auto next = std::ranges::min_element(waiting, {}, start);
    const double end = start(*next) + (*next)->cost + each;
    free.erase(free.begin());
    free.insert(end);
    for (const WireValue& name : (*next)->gives) there[name] = end;
    last = std::max(last, end);
    waiting.erase(next);
  }
  return last;
}

}  // namespace

TEST_CASE("parts make the outputs, each value and each recryption once", "[circuit]") {
  Operands random(11);
  std::vector<Netlist> netlists{adder_circuit(8), comparator_circuit(8), multiplier_circuit(6),
                                multiplier_circuit(6, Prefer::low_depth)};
  for (int i = 0; i < 20; ++i) netlists.push_back(random_circuit(random, 5, 40));
  for (const Netlist& netlist : netlists) {
    for (const std::size_t every : {0U, 1U, 2U, 5U}) {
      const RefreshPlan plan = plan_of_every(netlist, every);
      const TaskGraph graph(netlist, plan, NoiseBound(), input_values(netlist));
      for (const std::size_t workers : {1U, 4U, 100U}) {
        for (const double least : {0.0, 20.0, 3000.0, 1e9}) {
          const auto recrypted = play_parts(netlist, plan, split_into_parts(graph, workers, least));
          CHECK(recrypted.size() == graph.count(TaskKind::recryption));
          CHECK(std::ranges::all_of(recrypted, [](const auto& each) { return each.second == 1; }));
        }
      }
    }
  }
}

TEST_CASE("one worker that may take all gets one part", "[circuit]") {
  const Netlist netlist = multiplier_circuit(8);
  const RefreshPlan plan = plan_of_every(netlist, 3);
  const TaskGraph graph(netlist, plan, NoiseBound(), input_values(netlist));
  CHECK(split_into_parts(graph, 1, 1e9).size() == 1);
  CHECK(split_into_parts(graph, 1, 0).size() >= graph.count(TaskKind::recryption));
}

TEST_CASE("a circuit without gates has no parts", "[circuit]") {
  const Netlist netlist({{"x", 2}}, {}, {{"y", {1, 0, 1}}});
  const RefreshPlan plan = plan_of_every(netlist, 0);
  CHECK(split_into_parts({netlist, plan, NoiseBound(), input_values(netlist)}, 4, 1).empty());
}

TEST_CASE("parts keep workers as busy as their tasks would", "[circuit]") {
  const Netlist netlist = multiplier_circuit(24, Prefer::low_depth);
  const RefreshPlan plan = plan_of_every(netlist, 2);
  const TaskGraph graph(netlist, plan, NoiseBound(), input_values(netlist));
  const double bound = scheduled_cost(graph, 4);
  // A recryption costs 1000. Handing out parts costs nothing, or a fourth of one.
  const auto small = split_into_parts(graph, 4, 1000);
  const auto large = split_into_parts(graph, 4, 5000);
  CHECK(seconds_of_parts(small, 4, 0) < 1.05 * bound);
  CHECK(seconds_of_parts(large, 4, 0) < 1.15 * bound);
  CHECK(2 * large.size() < small.size());
  CHECK(seconds_of_parts(large, 4, 250) < seconds_of_parts(small, 4, 250));
}

TEST_CASE("parts compute what the run of their program computes", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const Netlist netlist = multiplier_circuit(3);
  const std::vector<bool> bits{true, true, false, true, false, true};
  const std::vector<Ciphertext> inputs = test_encryptor(keys, "parts").encrypt(bits);
  const CircuitProgram program = CircuitProgram::compile(netlist, evaluator);
  const std::vector<Ciphertext> expected = run_circuit(program, evaluator, inputs).outputs;
  for (const double least : {0.0, 4000.0}) {
    std::map<WireValue, Ciphertext> there;
    for (Wire wire = 0; wire < inputs.size(); ++wire) there.insert({{wire, false}, inputs[wire]});
    for (const CircuitPart& part : split_into_parts(program.tasks(), 3, least)) {
      std::vector<Ciphertext> values;
      for (const WireValue& name : part.takes) values.push_back(there.at(name));
      std::vector<Ciphertext> given = run_part(program, evaluator, part, values);
      REQUIRE(given.size() == part.gives.size());
      for (std::size_t i = 0; i < given.size(); ++i) there.insert({part.gives[i], given[i]});
    }
    const std::vector<Wire> wires = program.circuit().output_wires();
    for (std::size_t i = 0; i < wires.size(); ++i) {
      const Ciphertext& made = there.at(value_in_use(wires[i], program.plan().refreshed));
      CHECK(made.value() == expected[i].value());
      CHECK(made.noise() == expected[i].noise());
    }
  }
}

TEST_CASE("parts that are none of the program are refused", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const CircuitProgram program = CircuitProgram::compile(adder_circuit(2), evaluator);
  const std::vector<Ciphertext> two = test_encryptor(keys, "parts").encrypt({true, false});
  const auto wires = static_cast<Wire>(program.circuit().wires());
  const auto run = [&](std::vector<WireValue> takes, std::vector<WireValue> gives) {
    return run_part(program, evaluator, {std::move(takes), std::move(gives)}, two);
  };
  const HasCode refused(ErrorCode::invalid_argument);
  CHECK_THROWS_MATCHES(run({{0, false}}, {{0, true}}), Error, refused);
  CHECK_THROWS_MATCHES(run({{0, false}, {wires, false}}, {{0, true}}), Error, refused);
  CHECK_THROWS_MATCHES(run({{0, false}, {1, false}}, {{wires, true}}), Error, refused);
  CHECK_THROWS_MATCHES(run({{0, false}, {1, false}}, {{3, true}}), Error, refused);
  CHECK(run({{0, false}, {1, false}}, {{1, false}}).front().value() == two[1].value());
  const auto loud = NoiseBound::from_bits(evaluator.noise_rule().refresh_limit.bits() + 1);
  const std::vector<Ciphertext> noisy{{two[0].value(), loud, two[0].key()}};
  CHECK_THROWS_MATCHES(run_part(program, evaluator, {{{0, false}}, {{0, true}}}, noisy), Error,
                       HasCode(ErrorCode::noise_exceeded));
  const Evaluator other(test_keys("cmnt-mini").public_key);
  CHECK_THROWS_MATCHES(run_part(program, other, {{{0, false}, {1, false}}, {{1, false}}}, two),
                       Error, HasCode(ErrorCode::wrong_key));
}

TEST_CASE("a part takes values of its key with no more noise than planned", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const CircuitProgram program = CircuitProgram::compile(adder_circuit(2), evaluator);
  const CircuitPart first{{{0, false}}, {{0, false}}};
  const std::vector<bool> bit{true};
  const std::vector<Ciphertext> one = test_encryptor(keys, "parts").encrypt(bit);
  CHECK(run_part(program, evaluator, first, one).front().value() == one[0].value());
  const auto loud = NoiseBound::from_units(program.plan().noise[0].units() + 1);
  REQUIRE(loud < evaluator.noise_rule().refresh_limit);
  CHECK_THROWS_MATCHES(run_part(program, evaluator, first, {{one[0].value(), loud, one[0].key()}}),
                       Error, HasCode(ErrorCode::noise_exceeded, "recrypt it"));
  const KeyPair& others = test_keys("cnt-mini", "other");
  CHECK_THROWS_MATCHES(
      run_part(program, evaluator, first, test_encryptor(others, "parts").encrypt(bit)), Error,
      HasCode(ErrorCode::wrong_key));
}

}  // namespace fhe::test
