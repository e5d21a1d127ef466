// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/adder/evaluate.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "libfhe/arith/parallel.hpp"
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

}  // namespace

Integer evaluate_adder(const AdderProgram& program, const Ring& ring, std::vector<Integer> inputs,
                       const Monitor& monitor) {
  const auto rounds = program.rounds();
  const auto usage = usage_of(program, rounds);
  std::vector<std::optional<Operand>> values(usage.size());
  const auto store = [&](std::size_t index, Integer value) {
    values[index] = is_prepared(usage[index]) ? ring.prepare(value) : Operand(std::move(value));
  };
  parallel_for(inputs.size(), [&](std::size_t i) { store(i, std::move(inputs[i])); });

  Progress progress(monitor, "adder", program.steps().size());
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    parallel_for(rounds[round].size(), [&](std::size_t k) {
      const std::size_t i = rounds[round][k];
      const AdderProgram::Step& step = program.steps()[i];
      const Operand& left = *values[step.left];
      const Operand& right = *values[step.right];
      store(program.inputs() + i, step.operation == Operation::multiply
                                      ? ring.multiply(left, right)
                                      : ring.add(left.value(), right.value()));
      progress.advance();
    });
    for (std::size_t index = 0; index < values.size(); ++index) {
      if (usage[index].last_round <= round) values[index].reset();
    }
  }
  return values[program.output()]->value();
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
