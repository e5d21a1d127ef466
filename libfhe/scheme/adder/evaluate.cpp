// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/adder/evaluate.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "libfhe/scheme/recryption_memory.hpp"

namespace fhe {

namespace {

using Operation = AdderProgram::Operation;

// How a value is used by the program.
struct Usage {
  std::size_t factors = 0;     // how often it is a factor of a product
  std::size_t last_round = 0;  // the round after which it is not needed
};

std::vector<Usage> usage_of(const AdderProgram& program,
                            const std::vector<std::vector<std::size_t>>& rounds) {
  std::vector<Usage> usage(program.inputs() + program.steps().size());
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    for (const std::size_t i : rounds[round]) {
      const AdderProgram::Step& step = program.steps()[i];
      for (const std::uint32_t operand : {step.left, step.right}) {
        if (step.operation == Operation::multiply) ++usage[operand].factors;
        usage[operand].last_round = round;
      }
    }
  }
  usage[program.output()].last_round = rounds.size();
  return usage;
}

// Whether it pays to prepare a value.
bool is_prepared(const Usage& usage) {
  return usage.factors > 1;
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

}  // namespace

Operand evaluate_adder(const AdderProgram& program, const Ring& ring, std::vector<Operand> inputs,
                       const Monitor& monitor) {
  const auto rounds = program.rounds();
  const auto usage = usage_of(program, rounds);
  std::vector<std::optional<Operand>> values(usage.size());
  prepare_factors(ring, usage, inputs);
  std::ranges::move(inputs, values.begin());

  Progress progress(monitor, "adder", program.steps().size());
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    std::vector<RingOperation> operations;
    operations.reserve(rounds[round].size());
    for (const std::size_t i : rounds[round]) {
      const AdderProgram::Step& step = program.steps()[i];
      operations.push_back({.kind = step.operation == Operation::multiply
                                        ? RingOperation::Kind::multiply
                                        : RingOperation::Kind::add,
                            .a = *values[step.left],
                            .b = *values[step.right],
                            .is_factor = is_prepared(usage[program.inputs() + i])});
    }
    std::vector<Operand> results = ring.compute_all(operations, progress);
    for (std::size_t k = 0; k < results.size(); ++k) {
      values[program.inputs() + rounds[round][k]] = std::move(results[k]);
    }
    for (std::size_t index = 0; index < values.size(); ++index) {
      if (usage[index].last_round <= round) values[index].reset();
    }
  }
  return *values[program.output()];
}

std::size_t adder_integers(const AdderProgram& program) {
  const auto rounds = program.rounds();
  const auto usage = usage_of(program, rounds);
  std::vector<std::size_t> sizes(usage.size());  // 0 for what is not held
  std::size_t held = 0;
  const auto store = [&](std::size_t index) {
    sizes[index] = is_prepared(usage[index]) ? kPreparedIntegers : 1;
    held += sizes[index];
  };
  for (std::size_t i = 0; i < program.inputs(); ++i) store(i);
  std::size_t most = held;
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    for (const std::size_t i : rounds[round]) store(program.inputs() + i);
    most = std::max(most, held);
    for (std::size_t index = 0; index < sizes.size(); ++index) {
      if (usage[index].last_round <= round) held -= std::exchange(sizes[index], 0);
    }
  }
  return most;
}

}  // namespace fhe
