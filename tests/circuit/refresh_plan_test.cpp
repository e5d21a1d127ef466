// SPDX-License-Identifier: Apache-2.0
// Where to recrypt: plans are sound, close to the lower bound, and cheaper than gate by gate.
#include "libfhe/circuit/refresh_plan.hpp"

#include <functional>

#include "libfhe/circuit/bristol.hpp"
#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/lower_degree.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuit_oracle.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

NoiseModel model_of(const std::string& group) {
  return NoiseModel::of(*test_keys(group).public_key.context(open_backend()));
}

RefreshPlan checked_plan(const Netlist& netlist, const NoiseModel& model, NoiseBound input) {
  const std::vector<NoiseBound> inputs(netlist.input_bits(), input);
  RefreshPlan plan = plan_refreshes(netlist, model, inputs);
  check_plan(netlist, model, inputs, plan);
  return plan;
}

// The fewest recryptions of all, by trying every set of wires.
std::size_t fewest(const Netlist& netlist, const NoiseModel& model,
                   const std::vector<NoiseBound>& inputs) {
  std::size_t best = netlist.wires();
  for (std::uint64_t set = 0; set < std::uint64_t{1} << netlist.wires(); ++set) {
    const auto size = static_cast<std::size_t>(std::popcount(set));
    if (size < best && is_sound(netlist, model, inputs, bits_of(set, netlist.wires()))) best = size;
  }
  return best;
}

constexpr NoiseBound units(std::uint32_t number) {
  return NoiseBound::from_units(number);
}

// A model whose numbers tell their places.
constexpr std::uint32_t kRefreshed = 20'000;
constexpr NoiseModel kModel{.rule = {units(90'000), units(80'000), units(1'000)},
                            .fresh = units(30'000),
                            .refreshed = units(kRefreshed)};
constexpr std::uint32_t kBothFactors = 79'000;  // what the operands of an AND may have together

std::uint32_t sum_of(std::uint32_t x, std::uint32_t y) {
  return (units(x) + units(y)).units();
}

// That no plan is better under this model, and that the lower bound says so.
void check_exact(const Netlist& netlist, const std::vector<std::uint32_t>& inputs,
                 std::size_t recryptions) {
  std::vector<NoiseBound> noise;
  for (const std::uint32_t number : inputs) noise.push_back(units(number));
  const RefreshPlan plan = plan_refreshes(netlist, kModel, noise);
  check_plan(netlist, kModel, noise, plan);
  CHECK(fewest(netlist, kModel, noise) == recryptions);
  CHECK(plan.lower_bound == recryptions);
  CHECK(plan.recryptions == recryptions);
}

}  // namespace

TEST_CASE("plans of small circuits are sound, and the lower bound is one", "[circuit]") {
  Operands random(1);
  std::size_t planned = 0;
  std::size_t best = 0;
  for (const std::string group : {"cnt-mini", "cnt-toy", "cmnt-mini", "gh-mini"}) {
    const NoiseModel model = model_of(group);
    for (int i = 0; i < 40; ++i) {
      const Netlist netlist = random_circuit(random, 3, 9);
      const NoiseBound input = random.coin() ? model.fresh : model.refreshed;
      const RefreshPlan plan = checked_plan(netlist, model, input);
      const std::size_t exact =
          fewest(netlist, model, std::vector<NoiseBound>(netlist.input_bits(), input));
      CHECK(plan.lower_bound <= exact);
      CHECK(plan.recryptions >= exact);
      planned += plan.recryptions;
      best += exact;
    }
  }
  CHECK(best > 100);
  CHECK(planned <= best + best / 10);
}

TEST_CASE("sums that exceed the limit count for the lower bound", "[circuit]") {
  const NoiseModel model = model_of("cnt-mini");
  REQUIRE(model.rule.sum(model.fresh, model.fresh) > model.rule.refresh_limit);
  NetlistBuilder builder;
  const auto x = builder.input("x", 3);
  builder.output("y", {builder.xor_gate(x[1], x[2]), builder.xor_gate(x[0], x[2])});
  const Netlist netlist = builder.build();
  const RefreshPlan plan = checked_plan(netlist, model, model.fresh);
  CHECK(plan.lower_bound == 1);
  CHECK(fewest(netlist, model, std::vector<NoiseBound>(3, model.fresh)) == 1);
}

TEST_CASE("constants and equal inputs cost no recryptions", "[circuit]") {
  const NoiseModel model = model_of("cnt-toy");
  const Netlist netlist = parse_bristol(
      "8 13\n1 5\n1 2\n\n2 1 3 4 5 XOR\n1 1 0 6 EQ\n2 1 5 6 7 AND\n2 1 6 7 8 XOR\n"
      "2 1 5 6 9 XOR\n2 1 8 9 10 AND\n2 1 10 10 11 AND\n2 1 9 11 12 AND\n",
      "constants");
  CHECK(checked_plan(with_lower_degree(netlist), model, model.fresh).recryptions == 0);
}

TEST_CASE("long sums that many gates share are refreshed where most of them use it", "[circuit]") {
  // s_(i+1) = s_i + s_(i-1) + s_(i-2) + x_i grows as the message schedule of SHA-256 does; each s_i
  // is multiplied with x_i.
  const NoiseModel model = model_of("cnt-toy");
  NetlistBuilder builder;
  const auto x = builder.input("x", 96);
  std::vector<Wire> sums(x.begin(), x.begin() + 3);
  std::vector<Wire> products;
  for (std::size_t i = 3; i < x.size(); ++i) {
    const Wire last = builder.xor_gate(sums[i - 1], sums[i - 2]);
    sums.push_back(builder.xor_gate(builder.xor_gate(last, sums[i - 3]), x[i]));
    products.push_back(builder.and_gate(sums[i], x[i]));
  }
  builder.output("y", products);
  const RefreshPlan plan = checked_plan(builder.build(), model, model.refreshed);
  CHECK(plan.recryptions > plan.lower_bound);  // proven is less
  CHECK(plan.recryptions <= 12);               // three for every 22 or so
}

TEST_CASE("plans of adders and comparators are the best there are", "[circuit]") {
  const NoiseModel toy = model_of("cnt-toy");
  const RefreshPlan adder = checked_plan(adder_circuit(64), toy, toy.fresh);
  CHECK(adder.recryptions == 126);  // two for each of 63 carries
  CHECK(adder.lower_bound == 126);
  const RefreshPlan refreshed = checked_plan(adder_circuit(64), toy, toy.refreshed);
  CHECK(refreshed.recryptions == 62);
  CHECK(refreshed.lower_bound == 62);
  const RefreshPlan comparator = checked_plan(comparator_circuit(32), toy, toy.fresh);
  CHECK(comparator.recryptions == 96);
  CHECK(comparator.lower_bound == 96);
  CHECK(comparator.gate_by_gate == 128);
}

TEST_CASE("where sums of refreshed ciphertexts can be multiplied, no plan is better", "[circuit]") {
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    const NoiseModel model = model_of(group);
    const NoiseBound sum = model.rule.sum(model.refreshed, model.refreshed);
    CHECK(model.rule.product(sum, sum) <= model.rule.refresh_limit);
    for (const Prefer prefer : {Prefer::few_ands, Prefer::low_depth}) {
      const Netlist multiplier = multiplier_circuit(32, prefer);
      const RefreshPlan plan = checked_plan(multiplier, model, model.fresh);
      CHECK(plan.recryptions == plan.lower_bound);
      CHECK(plan.recryptions <= costs(multiplier).products + 1);
      CHECK(plan.recryptions * 10 <= plan.gate_by_gate * 6);
    }
  }
}

TEST_CASE("plans are close to the lower bound where they are not equal to it", "[circuit]") {
  const NoiseModel cmnt = model_of("cmnt-mini");
  const RefreshPlan plan = checked_plan(multiplier_circuit(32), cmnt, cmnt.fresh);
  CHECK(plan.recryptions * 10 <= plan.lower_bound * 16);
  CHECK(plan.recryptions * 10 <= plan.gate_by_gate * 9);
}

TEST_CASE("the lower bound counts what exceeds the limit, and nothing at it", "[circuit]") {
  const Netlist product({{"x", 2}}, {{GateKind::and_gate, {0, 1}}}, {{"y", {2}}});
  for (const std::uint32_t x : {20'000U, 30'000U, 39'500U, 59'000U}) {
    CAPTURE(x);
    check_exact(product, {x, kBothFactors - x}, 0);
    check_exact(product, {x, kBothFactors - x + 1}, 1);
  }
  const Netlist square({{"x", 1}}, {{GateKind::and_gate, {0, 0}}}, {{"y", {1}}});
  check_exact(square, {kBothFactors / 2}, 0);
  check_exact(square, {kBothFactors / 2 + 1}, 1);
  // A sum of two inputs that recryption would not improve.
  const Netlist sum({{"x", 3}}, {{GateKind::xor_gate, {0, 1}}, {GateKind::and_gate, {3, 2}}},
                    {{"y", {4}}});
  const std::uint32_t reached = sum_of(kRefreshed, kRefreshed);
  check_exact(sum, {kRefreshed, kRefreshed, kBothFactors - reached}, 0);
  check_exact(sum, {kRefreshed, kRefreshed, kBothFactors - reached + 1}, 1);
}

TEST_CASE("the lower bound counts no operand at what its own AND allows", "[circuit]") {
  // The two ANDs allow their operands a different noise.
  const Netlist products({{"x", 4}}, {{GateKind::and_gate, {0, 1}}, {GateKind::and_gate, {2, 3}}},
                         {{"y", {4, 5}}});
  const std::uint32_t little = kRefreshed - 1;
  check_exact(products, {30'000, kRefreshed, kBothFactors - little, little}, 0);
}

TEST_CASE("the lower bound counts a noisy sum that is squared", "[circuit]") {
  // x0 + ... + x5, so long that only a cut finds its noise.
  std::vector<Gate> gates{{GateKind::xor_gate, {0, 1}}};
  for (Wire i = 2; i < 6; ++i) gates.push_back({GateKind::xor_gate, {i + 4, i}});
  gates.push_back({GateKind::and_gate, {10, 10}});
  check_exact(Netlist({{"x", 6}}, gates, {{"y", {11}}}), {45'000, 1, 1, 1, 1, 1}, 1);
}

TEST_CASE("the lower bound counts one noisy term of a sum as one", "[circuit]") {
  const Netlist sum({{"x", 3}}, {{GateKind::xor_gate, {0, 1}}, {GateKind::and_gate, {3, 2}}},
                    {{"y", {4}}});
  const std::uint32_t noisy = 59'500;
  check_exact(sum, {noisy, kRefreshed, kBothFactors - sum_of(noisy, kRefreshed)}, 0);
}

TEST_CASE("a plan refreshes the noisier operand", "[circuit]") {
  // Either operand of each AND would do, and one of them is in all three.
  const Netlist products(
      {{"x", 4}},
      {{GateKind::and_gate, {0, 1}}, {GateKind::and_gate, {2, 0}}, {GateKind::and_gate, {0, 3}}},
      {{"y", {4, 5, 6}}});
  check_exact(products, {50'000, 40'000, 40'000, 40'000}, 1);
}

TEST_CASE("the best plan found counts, not the last", "[circuit]") {
  // (x0 + x0 + x1)(x0 + x1): to refresh the sum of both suffices.
  const Netlist netlist(
      {{"x", 2}},
      {{GateKind::xor_gate, {1, 0}}, {GateKind::xor_gate, {0, 2}}, {GateKind::and_gate, {2, 3}}},
      {{"y", {4}}});
  const std::vector<NoiseBound> inputs(2, units(40'000));
  CHECK(fewest(netlist, kModel, inputs) == 1);
  CHECK(plan_refreshes(netlist, kModel, inputs).recryptions == 1);
}

TEST_CASE("gates without a plan refresh what they use twice once", "[circuit]") {
  const Netlist square({{"x", 1}}, {{GateKind::and_gate, {0, 0}}}, {{"y", {1}}});
  CHECK(plan_refreshes(square, kModel, {units(60'000)}).gate_by_gate == 1);
}

TEST_CASE("a circuit without ANDs is not recrypted until its sums grow", "[circuit]") {
  const NoiseModel model = model_of("cnt-mini");
  NetlistBuilder builder;
  const auto x = builder.input("x", 64);
  Wire sum = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) sum = builder.xor_gate(sum, x[i]);
  builder.output("y", {sum});
  CHECK(checked_plan(builder.build(), model, model.refreshed).recryptions == 0);
  CHECK(checked_plan(builder.build(), model, model.fresh).recryptions > 0);
}

TEST_CASE("what cannot be planned is refused", "[circuit]") {
  NoiseModel model = model_of("cnt-mini");
  const Netlist adder = adder_circuit(4);
  CHECK_THROWS_MATCHES(plan_refreshes(adder, model, {model.fresh}), Error,
                       HasCode(ErrorCode::invalid_argument, "8 input bits"));
  const std::vector<NoiseBound> inputs(8, model.fresh);
  CHECK_THROWS_MATCHES(plan_refreshes(adder, model, inputs, stopped_monitor()), Error,
                       HasCode(ErrorCode::stopped));
  model.refreshed = model.fresh;
  CHECK_THROWS_MATCHES(plan_refreshes(adder, model, inputs), Error,
                       HasCode(ErrorCode::noise_exceeded, "another adder"));
}

}  // namespace fhe::test
