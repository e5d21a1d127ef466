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

// A value that is computed at once: a sum of products and other values. Steps that nothing but the
// sum uses are no values of their own, so that the products of a sum are one Ring::dot, with one
// reduction for all, where each by itself takes one of its own.
struct Sum {
  std::size_t value;
  std::vector<std::size_t> products;  // steps
  std::vector<std::size_t> others;    // values
};

// The steps that a sum takes the place of.
std::size_t steps_of(const Sum& sum) {
  return 2 * sum.products.size() + sum.others.size() - 1;
}

// A program as it is computed: rounds of sums that do not depend on each other.
struct Plan {
  std::vector<std::vector<Sum>> rounds;
  std::vector<Usage> usage;  // of the values
  std::size_t steps = 0;     // that the sums take the place of
};

std::vector<Usage> usage_of(const AdderProgram& program) {
  std::vector<Usage> usage(program.inputs() + program.steps().size());
  for (const AdderProgram::Step& step : program.steps()) {
    for (const std::uint32_t operand : {step.left, step.right}) {
      ++usage[operand].times;
      if (step.operation == Operation::multiply) ++usage[operand].factors;
    }
  }
  return usage;
}

// Whether a value is nothing but a term of one sum.
bool is_part(const AdderProgram& program, const Usage& usage, std::size_t value) {
  return value >= program.inputs() && usage.times == 1 && usage.factors == 0;
}

Sum sum_of_step(const AdderProgram& program, const std::vector<Usage>& usage, std::size_t index) {
  Sum sum{.value = program.inputs() + index, .products = {}, .others = {}};
  std::vector<std::size_t> steps{index};
  while (!steps.empty()) {
    const std::size_t at = steps.back();
    const AdderProgram::Step& step = program.steps()[at];
    steps.pop_back();
    if (step.operation == Operation::multiply) {
      sum.products.push_back(at);
      continue;
    }
    for (const std::size_t term : {step.left, step.right}) {
      if (is_part(program, usage[term], term)) {
        steps.push_back(term - program.inputs());
      } else {
        sum.others.push_back(term);
      }
    }
  }
  return sum;
}

// Calls body(value) for every value that the sum is made of.
template <class Body>
void for_operands(const AdderProgram& program, const Sum& sum, const Body& body) {
  for (const std::size_t product : sum.products) {
    body(program.steps()[product].left);
    body(program.steps()[product].right);
  }
  for (const std::size_t value : sum.others) body(value);
}

Plan plan_of(const AdderProgram& program) {
  Plan plan{.rounds = {}, .usage = usage_of(program), .steps = 0};
  std::vector<std::size_t> ready(plan.usage.size());  // the round before which a value is there
  for (std::size_t index = 0; index < program.steps().size(); ++index) {
    const std::size_t value = program.inputs() + index;
    const bool is_used = plan.usage[value].times > 0 || value == program.output();
    if (!is_used || is_part(program, plan.usage[value], value)) continue;
    Sum sum = sum_of_step(program, plan.usage, index);
    std::size_t round = 0;
    for_operands(program, sum, [&](std::size_t used) { round = std::max(round, ready[used]); });
    for_operands(program, sum, [&](std::size_t used) {
      plan.usage[used].last_round = std::max(plan.usage[used].last_round, round);
    });
    ready[value] = round + 1;
    plan.steps += steps_of(sum);
    if (plan.rounds.size() <= round) plan.rounds.resize(round + 1);
    plan.rounds[round].push_back(std::move(sum));
  }
  plan.usage[program.output()].last_round = plan.rounds.size();
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

// The terms of a sum that is under way.
using Terms = std::vector<Operand>;

// Computes the sums of one round.
class Round {
 public:
  Round(const AdderProgram& program, const Ring& ring, const std::vector<Sum>& sums,
        const std::vector<Usage>& usage, Progress& progress)
      : program_(program), ring_(ring), sums_(sums), usage_(usage), progress_(progress) {}

  // Adds the sums to the values.
  void compute(Values& values) const {
    std::vector<Terms> terms(sums_.size());
    multiply(values, terms);
    add_dots(values, terms);
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      for (const std::size_t value : sums_[i].others) terms[i].push_back(*values[value]);
    }
    add_up(terms);
    prepare(terms);
    for (std::size_t i = 0; i < sums_.size(); ++i) values[sums_[i].value] = std::move(terms[i][0]);
  }

 private:
  [[nodiscard]] OperandPair factors(std::size_t product, const Values& values) const {
    const AdderProgram::Step& step = program_.steps()[product];
    return {*values[step.left], *values[step.right]};
  }

  // Single products.
  void multiply(const Values& values, std::vector<Terms>& terms) const {
    std::vector<std::size_t> chosen;
    std::vector<RingOperation> operations;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].products.size() != 1) continue;
      auto [a, b] = factors(sums_[i].products.front(), values);
      chosen.push_back(i);
      operations.push_back({.kind = RingOperation::Kind::multiply,
                            .a = std::move(a),
                            .b = std::move(b),
                            .is_factor = sums_[i].others.empty() && is_factor(i)});
    }
    std::vector<Operand> products = ring_.compute_all(operations, progress_);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      terms[chosen[k]].push_back(std::move(products[k]));
    }
  }

  // Sums of products. A sum that is alone in its round is parted for all threads, but not into
  // parts of less than four products.
  void add_dots(const Values& values, std::vector<Terms>& terms) const {
    constexpr std::size_t kFewestProducts = 4;
    std::vector<std::size_t> chosen;
    std::vector<std::vector<OperandPair>> dots;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const std::size_t count = sums_[i].products.size();
      if (count < 2) continue;
      const std::size_t threads = sums_.size() == 1 ? thread_count() : 1;
      const std::size_t parts = std::clamp<std::size_t>(count / kFewestProducts, 1, threads);
      const std::size_t first = dots.size();
      dots.resize(first + parts);
      chosen.insert(chosen.end(), parts, i);
      for (std::size_t k = 0; k < count; ++k) {
        dots[first + k % parts].push_back(factors(sums_[i].products[k], values));
      }
      // Of each product but one in a dot: itself and an addition.
      progress_.advance(2 * (count - parts));
    }
    std::vector<Operand> results = ring_.dot_all(dots, progress_);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      terms[chosen[k]].push_back(std::move(results[k]));
    }
  }

  // All sums in rounds of additions, until each has one term.
  void add_up(std::vector<Terms>& terms) const {
    for (;;) {
      std::vector<RingOperation> additions;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        for (std::size_t k = 0; k + 2 <= terms[i].size(); k += 2) {
          additions.push_back({.kind = RingOperation::Kind::add,
                               .a = terms[i][k],
                               .b = terms[i][k + 1],
                               .is_factor = terms[i].size() == 2 && is_factor(i)});
        }
      }
      if (additions.empty()) return;
      std::vector<Operand> results = ring_.compute_all(additions, progress_);
      auto next = results.begin();
      for (Terms& sum : terms) {
        const std::size_t pairs = sum.size() / 2;
        if (sum.size() % 2 != 0) std::swap(sum[pairs], sum.back());
        std::move(next, next + static_cast<std::ptrdiff_t>(pairs), sum.begin());
        next += static_cast<std::ptrdiff_t>(pairs);
        sum.resize(sum.size() - pairs, Operand(Integer()));
      }
    }
  }

  // Sums of products alone, which no operation has prepared.
  void prepare(std::vector<Terms>& terms) const {
    std::vector<std::size_t> chosen;
    std::vector<Operand> elements;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].products.size() < 2 || !sums_[i].others.empty() || !is_factor(i)) continue;
      chosen.push_back(i);
      elements.push_back(terms[i][0]);
    }
    std::vector<Operand> prepared = ring_.prepare_all(elements);
    for (std::size_t k = 0; k < chosen.size(); ++k) terms[chosen[k]][0] = std::move(prepared[k]);
  }

  // Whether a sum is the factor of several products.
  [[nodiscard]] bool is_factor(std::size_t sum) const {
    return is_prepared(usage_[sums_[sum].value]);
  }

  const AdderProgram& program_;
  const Ring& ring_;
  const std::vector<Sum>& sums_;
  const std::vector<Usage>& usage_;
  Progress& progress_;
};

}  // namespace

Operand evaluate_adder(const AdderProgram& program, const Ring& ring, std::vector<Operand> inputs,
                       const Monitor& monitor) {
  const Plan plan = plan_of(program);
  Values values(plan.usage.size());
  prepare_factors(ring, plan.usage, inputs);
  std::ranges::move(inputs, values.begin());

  Progress progress(monitor, "adder", plan.steps);
  for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
    Round(program, ring, plan.rounds[round], plan.usage, progress).compute(values);
    for (std::size_t index = 0; index < values.size(); ++index) {
      if (plan.usage[index].last_round <= round) values[index].reset();
    }
  }
  return *values[program.output()];
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
    for (const Sum& sum : plan.rounds[round]) store(sum.value);
    most = std::max(most, held);
    for (std::size_t index = 0; index < sizes.size(); ++index) {
      if (plan.usage[index].last_round <= round) held -= std::exchange(sizes[index], 0);
    }
  }
  return most;
}

}  // namespace fhe
