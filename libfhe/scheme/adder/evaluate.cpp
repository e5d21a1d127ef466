// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/adder/evaluate.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/scheme/recryption_memory.hpp"

namespace fhe {

namespace {

using Operation = AdderProgram::Operation;

// The sum that a program ends with. The products that only this sum uses are one Ring::dot, with
// one reduction for all, where each by itself takes one of its own.
struct FinalSum {
  std::vector<std::size_t> products;  // steps
  std::vector<std::size_t> others;    // values
  std::vector<bool> has_step;         // whether a step belongs to the sum
};

// How a value is used by the program.
struct Usage {
  std::size_t times = 0;       // how often it is an operand
  std::size_t factors = 0;     // how often it is a factor of a product
  std::size_t last_round = 0;  // the round after which it is not needed
};

// Whether it pays to prepare a value.
bool is_prepared(const Usage& usage) {
  return usage.factors > 1;
}

// A program as it is computed: rounds of steps that do not depend on each other, then the sum.
struct Plan {
  FinalSum sum;
  std::vector<std::vector<std::size_t>> rounds;
  std::vector<Usage> usage;  // of the values
};

FinalSum final_sum_of(const AdderProgram& program, const std::vector<Usage>& usage) {
  FinalSum sum{.products = {}, .others = {}, .has_step = std::vector<bool>(program.steps().size())};
  std::vector<std::size_t> terms{program.output()};
  while (!terms.empty()) {
    const std::size_t value = terms.back();
    terms.pop_back();
    const std::size_t times_in_sum = value == program.output() ? 0 : 1;
    if (value < program.inputs() || usage[value].times > times_in_sum) {
      sum.others.push_back(value);
      continue;
    }
    const std::size_t index = value - program.inputs();
    const AdderProgram::Step& step = program.steps()[index];
    sum.has_step[index] = true;
    if (step.operation == Operation::multiply) {
      sum.products.push_back(index);
    } else {
      terms.insert(terms.end(), {step.left, step.right});
    }
  }
  return sum;
}

Plan plan_of(const AdderProgram& program) {
  Plan plan{.sum = {}, .rounds = program.rounds(), .usage = {}};
  plan.usage.resize(program.inputs() + program.steps().size());
  for (const AdderProgram::Step& step : program.steps()) {
    for (const std::uint32_t operand : {step.left, step.right}) {
      ++plan.usage[operand].times;
      if (step.operation == Operation::multiply) ++plan.usage[operand].factors;
    }
  }
  plan.sum = final_sum_of(program, plan.usage);
  for (auto& round : plan.rounds) {
    std::erase_if(round, [&](std::size_t i) { return plan.sum.has_step[i]; });
  }
  std::erase_if(plan.rounds, [](const auto& round) { return round.empty(); });

  for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
    for (const std::size_t i : plan.rounds[round]) {
      plan.usage[program.steps()[i].left].last_round = round;
      plan.usage[program.steps()[i].right].last_round = round;
    }
  }
  const std::size_t at_the_end = plan.rounds.size();
  for (const std::size_t i : plan.sum.products) {
    plan.usage[program.steps()[i].left].last_round = at_the_end;
    plan.usage[program.steps()[i].right].last_round = at_the_end;
  }
  for (const std::size_t value : plan.sum.others) plan.usage[value].last_round = at_the_end;
  return plan;
}

// Prepares the inputs for which it pays.
void prepare_factors(const Ring& ring, const std::vector<Usage>& usage,
                     std::vector<Operand>& inputs) {
  std::vector<std::size_t> chosen;
  std::vector<Operand> factors;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!is_prepared(usage[i])) continue;
    chosen.push_back(i);
    factors.push_back(std::move(inputs[i]));
  }
  factors = ring.prepare_all(factors);
  for (std::size_t k = 0; k < chosen.size(); ++k) inputs[chosen[k]] = std::move(factors[k]);
}

using Values = std::vector<std::optional<Operand>>;

// The products of the final sum as sums for Ring::dot_all: one for each thread, but none of less
// than four products, as far as there are so many.
std::vector<std::vector<OperandPair>> final_products(const AdderProgram& program, const Plan& plan,
                                                     const Values& values) {
  constexpr std::size_t kFewestProducts = 4;
  const std::size_t count = plan.sum.products.size();
  const std::size_t parts = std::clamp<std::size_t>(count / kFewestProducts, 1, thread_count());
  std::vector<std::vector<OperandPair>> products(parts);
  for (std::size_t k = 0; k < count; ++k) {
    const AdderProgram::Step& step = program.steps()[plan.sum.products[k]];
    products[k % parts].emplace_back(*values[step.left], *values[step.right]);
  }
  return products;
}

// The sum of at least one element, in rounds of additions.
Operand sum_of(const Ring& ring, std::vector<Operand> terms, Progress& progress) {
  while (terms.size() > 1) {
    std::vector<RingOperation> additions;
    for (std::size_t i = 0; i + 2 <= terms.size(); i += 2) {
      additions.push_back({.kind = RingOperation::Kind::add, .a = terms[i], .b = terms[i + 1]});
    }
    std::vector<Operand> sums = ring.compute_all(additions, progress);
    if (terms.size() % 2 != 0) sums.push_back(std::move(terms.back()));
    terms = std::move(sums);
  }
  return std::move(terms.front());
}

Operand final_sum(const AdderProgram& program, const Plan& plan, const Ring& ring, Values values,
                  Progress& progress) {
  std::vector<Operand> terms;
  if (!plan.sum.products.empty()) {
    terms = ring.dot_all(final_products(program, plan, values), progress);
    // Of each product but one in a sum: itself and an addition.
    progress.advance(2 * (plan.sum.products.size() - terms.size()));
  }
  for (const std::size_t value : plan.sum.others) terms.push_back(*values[value]);
  values.clear();
  return sum_of(ring, std::move(terms), progress);
}

}  // namespace

Operand evaluate_adder(const AdderProgram& program, const Ring& ring, std::vector<Operand> inputs,
                       const Monitor& monitor) {
  const Plan plan = plan_of(program);
  Values values(plan.usage.size());
  prepare_factors(ring, plan.usage, inputs);
  std::ranges::move(inputs, values.begin());

  Progress progress(monitor, "adder", program.steps().size());
  for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
    std::vector<RingOperation> operations;
    operations.reserve(plan.rounds[round].size());
    for (const std::size_t i : plan.rounds[round]) {
      const AdderProgram::Step& step = program.steps()[i];
      operations.push_back({.kind = step.operation == Operation::multiply
                                        ? RingOperation::Kind::multiply
                                        : RingOperation::Kind::add,
                            .a = *values[step.left],
                            .b = *values[step.right],
                            .is_factor = is_prepared(plan.usage[program.inputs() + i])});
    }
    std::vector<Operand> results = ring.compute_all(operations, progress);
    for (std::size_t k = 0; k < results.size(); ++k) {
      values[program.inputs() + plan.rounds[round][k]] = std::move(results[k]);
    }
    for (std::size_t index = 0; index < values.size(); ++index) {
      if (plan.usage[index].last_round <= round) values[index].reset();
    }
  }
  return final_sum(program, plan, ring, std::move(values), progress);
}

std::size_t adder_integers(const AdderProgram& program) {
  const Plan plan = plan_of(program);
  std::vector<std::size_t> sizes(plan.usage.size());  // 0 for what is not held
  std::size_t held = 0;
  const auto store = [&](std::size_t index) {
    sizes[index] = is_prepared(plan.usage[index]) ? kPreparedIntegers : 1;
    held += sizes[index];
  };
  for (std::size_t i = 0; i < program.inputs(); ++i) store(i);
  std::size_t most = held;
  for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
    for (const std::size_t i : plan.rounds[round]) store(program.inputs() + i);
    most = std::max(most, held);
    for (std::size_t index = 0; index < sizes.size(); ++index) {
      if (plan.usage[index].last_round <= round) held -= std::exchange(sizes[index], 0);
    }
  }
  return most;
}

}  // namespace fhe
