#include "libfhe/scheme/adder/evaluate.hpp"

#include <optional>
#include <utility>

#include "libfhe/arith/parallel.hpp"

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

}  // namespace

Integer evaluate_adder(const AdderProgram& program, const Ring& ring, std::vector<Integer> inputs,
                       const Monitor& monitor) {
  const auto rounds = program.rounds();
  const auto usage = usage_of(program, rounds);
  std::vector<std::optional<Operand>> values(usage.size());
  const auto store = [&](std::size_t index, Integer value) {
    values[index] = usage[index].factors > 1 ? ring.prepare(value) : Operand(std::move(value));
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

}  // namespace fhe
