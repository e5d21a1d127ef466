// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/adder/adder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/adder/step_list.hpp"
#include "libfhe/scheme/noise.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/vectors.hpp"

namespace fhe::test {

namespace {

using Numbers = std::vector<std::uint32_t>;

// A word holds one bit of 64 independent inputs: XOR and AND run the program on all of them.
using Lanes = std::uint64_t;
constexpr std::size_t kLanes = 64;

Lanes run_lanes(const AdderProgram& program, const std::vector<Lanes>& bits) {
  return program.run(
      bits, [](Lanes a, Lanes b) { return a ^ b; }, [](Lanes a, Lanes b) { return a & b; });
}

// The results of a program on up to 64 lists of numbers.
Lanes run_numbers(const AdderProgram& program, const std::vector<Numbers>& lists,
                  std::size_t width) {
  std::vector<Lanes> bits(program.inputs());
  for (std::size_t lane = 0; lane < lists.size(); ++lane) {
    for (std::size_t k = 0; k < lists[lane].size(); ++k) {
      for (std::size_t b = 0; b < width; ++b) {
        bits[k * width + b] |= Lanes{lists[lane][k] >> b & 1U} << lane;
      }
    }
  }
  return run_lanes(program, bits);
}

// The result of a program on elements of a ring.
Integer run_on(const Ring& ring, const AdderProgram& adder, const std::vector<Operand>& inputs,
               const Monitor& monitor) {
  std::vector<std::size_t> singles(inputs.size());
  std::iota(singles.begin(), singles.end(), std::size_t{0});
  const RingProgram program{.first_factors = {},
                            .other_factors = nullptr,
                            .windows = {.modulus_bits = 2, .window_bits = 1},
                            .residues = {},
                            .elements = {},
                            .kept = inputs,
                            .groups = {},
                            .singles = singles,
                            .constants = {},
                            .steps = adder.steps(),
                            .output = adder.output()};
  const Integer c;
  return ring.run(program, {&c, 1}, monitor).front();
}

void check_sums(const AdderProgram& program, const std::vector<Numbers>& lists, std::size_t width) {
  for (std::size_t first = 0; first < lists.size(); first += kLanes) {
    const auto last = std::min(first + kLanes, lists.size());
    const std::vector<Numbers> group(lists.begin() + static_cast<std::ptrdiff_t>(first),
                                     lists.begin() + static_cast<std::ptrdiff_t>(last));
    const Lanes results = run_numbers(program, group, width);
    Lanes expected = 0;
    for (std::size_t lane = 0; lane < group.size(); ++lane) {
      expected |= Lanes{oracle::rounded_sum_bit(group[lane], width)} << lane;
    }
    const Lanes used = group.size() == kLanes ? ~Lanes{0} : (Lanes{1} << group.size()) - 1;
    REQUIRE((results & used) == expected);
  }
}

// Every possible list of `count` numbers of `width` bits.
std::vector<Numbers> all_lists(std::size_t count, std::size_t width) {
  std::vector<Numbers> lists;
  for (std::uint32_t all = 0; all >> (count * width) == 0; ++all) {
    Numbers numbers(count);
    for (std::size_t k = 0; k < count; ++k) {
      numbers[k] = all >> (k * width) & ((1U << width) - 1);
    }
    lists.push_back(numbers);
  }
  return lists;
}

std::vector<Numbers> random_lists(Operands& operands, std::size_t lists, std::size_t count,
                                  std::size_t width) {
  std::vector<Numbers> result(lists, Numbers(count));
  for (Numbers& numbers : result) {
    for (std::uint32_t& number : numbers) {
      number = static_cast<std::uint32_t>(operands.between(0, (1U << width) - 1));
    }
  }
  return result;
}

// Lists in which carries run far or not at all: equal numbers, one odd one out, and alternations.
std::vector<Numbers> carry_lists(std::size_t count, std::size_t width) {
  const std::uint32_t ones = (1U << width) - 1;
  std::vector<Numbers> lists;
  for (std::uint32_t value = 0; value <= ones; ++value) {
    lists.emplace_back(count, value);
    Numbers single(count, 0);
    single[value % count] = value;
    lists.push_back(single);
    Numbers with_one(count, 0);
    with_one.front() = value;
    with_one.back() = 1;
    lists.push_back(with_one);
    Numbers alternating(count, value);
    for (std::size_t k = 0; k < count; k += 2) alternating[k] = ones - value;
    lists.push_back(alternating);
  }
  return lists;
}

struct Cost {
  std::size_t products;
  std::size_t additions;
  std::size_t degree;
};

// For the 15 numbers of 5 bits of recryption; additions are at most these, as sums that several
// steps use may be shared.
const std::map<std::string, Cost> kCosts{{"seq2", {98, 211, 16}}, {"seq1", {56, 253, 16}},
                                         {"csa", {45, 242, 16}},  {"ctr", {46, 240, 15}},
                                         {"ctr2", {87, 199, 15}}, {"sym", {187, 240, 15}}};

// The four CNT groups: noise of a key bit and block size set the noise of a recrypted bit.
struct Group {
  double rho_bits;
  double block_size;
};
const std::array<Group, 4> kGroups{{{26, 10}, {41, 37}, {56, 138}, {71, 531}}};

// Worst-case noise of a recrypted bit, in bits, in the four groups. The orders in which this
// library counts bring ctr and ctr2 to 16 and 4 bits below what is tabulated for them elsewhere
// (517, 500).
const std::map<std::string, std::array<double, 4>> kWorstNoise{
    {"seq2", {531, 801, 1071, 1342}}, {"seq1", {531, 801, 1071, 1342}},
    {"csa", {525, 795, 1066, 1337}},  {"ctr", {501, 755, 1008, 1262}},
    {"ctr2", {496, 750, 1003, 1257}}, {"sym", {489, 742, 996, 1250}}};

NoiseBound run_bounds(const AdderProgram& program, NoiseBound input) {
  return program.run(
      std::vector<NoiseBound>(program.inputs(), input),
      [](NoiseBound a, NoiseBound b) { return a + b; },
      [](NoiseBound a, NoiseBound b) { return a * b; });
}

Integer run_integers(const AdderProgram& program, const std::vector<Integer>& inputs) {
  return program.run(
      inputs, [](const Integer& a, const Integer& b) { return Integer(a + b); },
      [](const Integer& a, const Integer& b) { return Integer(a * b); });
}

std::string each_name() {
  return GENERATE(from_range(AdderProgram::names()));
}

}  // namespace

TEST_CASE("there are six adders", "[adder]") {
  auto names = AdderProgram::names();
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"csa", "ctr", "ctr2", "seq1", "seq2", "sym"});
}

TEST_CASE("adders equal integer addition on every tiny input", "[adder]") {
  const std::string name = each_name();
  for (std::size_t count = 2; count <= 6; ++count) {
    for (std::size_t width = 2; count * width <= 12; ++width) {
      CAPTURE(name, count, width);
      check_sums(AdderProgram::named(name, count, width), all_lists(count, width), width);
    }
  }
}

TEST_CASE("adders equal integer addition on random inputs", "[adder]") {
  const std::string name = each_name();
  Operands operands(121);
  for (std::size_t count = 3; count <= 20; ++count) {
    for (std::size_t width = 3; width <= 6; ++width) {
      CAPTURE(name, count, width);
      check_sums(AdderProgram::named(name, count, width), random_lists(operands, 256, count, width),
                 width);
    }
  }
}

TEST_CASE("adders carry as integer addition does", "[adder]") {
  const std::string name = each_name();
  for (std::size_t count = 2; count <= 20; ++count) {
    for (std::size_t width = 2; width <= 6; ++width) {
      CAPTURE(name, count, width);
      check_sums(AdderProgram::named(name, count, width), carry_lists(count, width), width);
    }
  }
}

TEST_CASE("adders of many numbers or wide numbers", "[adder]") {
  const std::string name = each_name();
  Operands operands(122);
  check_sums(AdderProgram::named(name, 100, 4), random_lists(operands, 64, 100, 4), 4);
  check_sums(AdderProgram::named(name, 4, 16), random_lists(operands, 256, 4, 16), 16);
}

TEST_CASE("adders equal the vectors of fifteen numbers", "[adder]") {
  const std::string name = each_name();
  const AdderProgram program = AdderProgram::named(name, 15, 5);
  const auto vectors = scheme_vectors("add15");
  REQUIRE_FALSE(vectors.empty());
  for (const auto& vector : vectors) {
    const Lanes result = run_numbers(program, {vector.at("x").get<Numbers>()}, 5);
    CHECK((result & 1) == vector.at("out").get<Lanes>());
  }
}

TEST_CASE("adders of fifteen five-bit numbers cost what is documented", "[adder]") {
  const std::string name = each_name();
  const AdderProgram program = AdderProgram::named(name, 15, 5);
  const Cost& cost = kCosts.at(name);
  CAPTURE(name);
  CHECK(program.inputs() == 75);
  CHECK(program.products() == cost.products);
  CHECK(program.additions() <= cost.additions);
  CHECK(program.degree() == cost.degree);
  CHECK(program.products() + program.additions() == program.steps().size());
}

TEST_CASE("every step of an adder uses values that come before it", "[adder]") {
  const std::string name = each_name();
  for (const std::size_t count : {2U, 3U, 15U}) {
    const AdderProgram program = AdderProgram::named(name, count, 5);
    const auto& steps = program.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      CHECK(std::max(steps[i].left, steps[i].right) < program.inputs() + i);
    }
    CHECK(program.output() < program.inputs() + steps.size());
  }
}

TEST_CASE("the rounds of an adder hold every step once, after what it uses", "[adder]") {
  const std::string name = each_name();
  for (const std::size_t count : {2U, 3U, 15U, 20U}) {
    const AdderProgram program = AdderProgram::named(name, count, 5);
    std::vector<bool> known(program.inputs() + program.steps().size());
    std::fill_n(known.begin(), program.inputs(), true);
    std::size_t scheduled = 0;
    for (const auto& round : program.rounds()) {
      CHECK_FALSE(round.empty());
      for (const std::size_t step : round) {
        CHECK(known[program.steps()[step].left]);
        CHECK(known[program.steps()[step].right]);
        CHECK_FALSE(known[program.inputs() + step]);
      }
      for (const std::size_t step : round) known[program.inputs() + step] = true;
      scheduled += round.size();
    }
    CHECK(scheduled == program.steps().size());
    CHECK(std::ranges::count(known, false) == 0);
  }
}

TEST_CASE("adders run on noise bounds reach the known worst case", "[adder]") {
  const std::string name = each_name();
  const AdderProgram program = AdderProgram::named(name, 15, 5);
  for (std::size_t g = 0; g < kGroups.size(); ++g) {
    const double input_bits = std::log2(kGroups[g].block_size) + kGroups[g].rho_bits + 1;
    const NoiseBound result = run_bounds(program, NoiseBound::from_bits(input_bits));
    CAPTURE(name, g, result.bits());
    CHECK(std::abs(result.bits() - kWorstNoise.at(name)[g]) <= 1.5);
  }
}

TEST_CASE("the noise bound of an adder is sharp for the worst input", "[adder]") {
  const std::string name = each_name();
  const AdderProgram program = AdderProgram::named(name, 15, 5);
  // All coefficients of the polynomial are positive, so the largest inputs have the largest result.
  const Integer worst = power_of_two(30);
  const Integer result = run_integers(program, std::vector<Integer>(program.inputs(), worst));
  const NoiseBound exact = NoiseBound::from_magnitude(result);
  const NoiseBound bound = run_bounds(program, NoiseBound::from_bits(30));
  CAPTURE(name, exact.bits(), bound.bits());
  CHECK(bound.units() + 1 >= exact.units());
  CHECK(bound.bits() <= exact.bits() + 0.2);
}

TEST_CASE("adders run on noisy integers give the right bit within the bound", "[adder]") {
  const std::string name = each_name();
  const AdderProgram program = AdderProgram::named(name, 15, 5);
  const std::size_t noise_bits = 40;
  const NoiseBound bound = run_bounds(program, NoiseBound::from_bits(noise_bits));
  Operands operands(123);
  for (const Numbers& numbers : random_lists(operands, 20, 15, 5)) {
    std::vector<Integer> inputs(program.inputs());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Integer noise = operands.with_random_sign(operands.bits(noise_bits - 1));
      const Integer even = noise - (oracle::bit(noise, 0) ? 1 : 0);
      inputs[i] = even + (numbers[i / 5] >> (i % 5) & 1U);
    }
    const Integer result = run_integers(program, inputs);
    CHECK(oracle::bit(result, 0) == oracle::rounded_sum_bit(numbers, 5));
    CHECK(NoiseBound::from_magnitude(result) <= bound);
  }
}

TEST_CASE("an adder on ring elements is its program, whatever the threads", "[adder]") {
  const std::string name = each_name();
  Operands operands(124);
  const Integer modulus = operands.exactly(6000) | 1;
  const auto ring = open_backend()->ring(modulus);
  for (const std::size_t count : {2U, 3U, 4U, 15U, 17U}) {
    const AdderProgram program = AdderProgram::named(name, count, 5);
    std::vector<Integer> inputs;
    for (std::size_t i = 0; i < program.inputs(); ++i) inputs.push_back(operands.below(modulus));
    const Integer expected = program.run(
        inputs, [&](const Integer& a, const Integer& b) { return ring->add(a, b); },
        [&](const Integer& a, const Integer& b) { return Integer(a * b % modulus); });
    for (const std::size_t threads : {1U, 3U}) {
      CAPTURE(name, count, threads);
      const ThreadLimit limit(threads);
      double last = 0;
      Monitor monitor;
      monitor.progress = [&](std::string_view, double fraction) { last = fraction; };
      CHECK(run_on(*ring, program, {inputs.begin(), inputs.end()}, monitor) == expected);
      CHECK(last == 1);
    }
  }
}

TEST_CASE("symmetric polynomials take one reduction each, not one a product", "[adder]") {
  const auto backend = open_backend();
  Operands operands(125);
  const Integer modulus = operands.exactly(6000) | 1;
  const auto ring = backend->ring(modulus);
  const AdderProgram program = AdderProgram::named("sym", 15, 5);
  std::vector<Operand> inputs;
  for (std::size_t i = 0; i < program.inputs(); ++i) inputs.emplace_back(operands.below(modulus));
  const OperationCounts before = backend->counts();
  const ThreadLimit limit(1);
  static_cast<void>(run_on(*ring, program, inputs, {}));
  CHECK((backend->counts() - before).reductions == 91);
  CHECK(program.products() == 187);
}

// The adder's inputs are other values, and constants come up between the steps.
TEST_CASE("a list of steps has its constants behind the inputs", "[adder]") {
  const AdderProgram adder = AdderProgram::named("seq1", 2, 2);
  StepList steps(3);
  const StepList::Value sum = steps.add(0, steps.constant(5));
  const StepList::Value product = steps.multiply(sum, steps.constant(-7));
  CHECK(steps.constant(5) == steps.constant(5));
  const std::vector<StepList::Value> bits{0, product, 2, sum};
  const StepList::Finished list = steps.finished(steps.add_up(adder, bits));
  REQUIRE(list.constants == std::vector<RingConstant>{{Integer(5)}, {Integer(-7)}});

  std::vector<Integer> values{2, 3, 11};
  for (const RingConstant& constant : list.constants) values.push_back(constant.value);
  for (const auto& [operation, left, right] : list.steps) {
    const bool is_product = operation == RingOperationKind::multiply;
    values.push_back(is_product ? Integer(values[left] * values[right])
                                : Integer(values[left] + values[right]));
  }
  const Integer expected = adder.run(
      std::vector<Integer>{2, -49, 11, 7},
      [](const Integer& a, const Integer& b) { return Integer(a + b); },
      [](const Integer& a, const Integer& b) { return Integer(a * b); });
  CHECK(values[list.output] == expected);
}

TEST_CASE("adders that do not exist are refused", "[adder]") {
  CHECK_THROWS_MATCHES(AdderProgram::named("ripple", 15, 5), Error,
                       HasCode(ErrorCode::unknown_name, "ripple"));
  CHECK_THROWS_MATCHES(AdderProgram::named("", 15, 5), Error, HasCode(ErrorCode::unknown_name));
  for (const std::string& name : AdderProgram::names()) {
    CHECK_THROWS_MATCHES(AdderProgram::named("ripple", 15, 5), Error,
                         HasCode(ErrorCode::unknown_name, name));
    CHECK_THROWS_MATCHES(AdderProgram::named(name, 1, 5), Error,
                         HasCode(ErrorCode::invalid_argument));
    CHECK_THROWS_MATCHES(AdderProgram::named(name, 15, 1), Error,
                         HasCode(ErrorCode::invalid_argument));
  }
}

}  // namespace fhe::test
