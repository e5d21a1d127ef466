// SPDX-License-Identifier: Apache-2.0
// Writes down the steps of a program (arith/ring_program.hpp). Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/ring_program.hpp"
#include "libfhe/scheme/adder/adder.hpp"

namespace fhe {

// Steps over inputs that there are and constants that come up on the way.
class StepList {
 public:
  // A value: an input by its index, or what a function of this list has returned.
  using Value = std::uint32_t;

  // `inputs` without the constants, which are behind them.
  explicit StepList(std::size_t inputs) : inputs_(static_cast<Value>(inputs)) {}

  // A constant, one for all that are equal.
  Value constant(const Integer& x) { return constant(RingConstant{.value = x}); }
  Value constant(const RingConstant& x);
  Value add(Value left, Value right) { return append(RingOperationKind::add, left, right); }
  Value multiply(Value left, Value right) {
    return append(RingOperationKind::multiply, left, right);
  }
  // The result of an adder whose inputs are these values.
  Value add_up(const AdderProgram& adder, std::span<const Value> values);

  // The list as a RingProgram has it, with what its output is.
  struct Finished {
    std::vector<RingConstant> constants;
    std::vector<RingStep> steps;
    std::size_t output = 0;
  };
  [[nodiscard]] Finished finished(Value output) const;

 private:
  Value append(RingOperationKind operation, Value left, Value right);
  // As long as not all constants are known, steps and they are counted apart.
  [[nodiscard]] Value index_of(Value value) const;

  Value inputs_;
  std::vector<RingConstant> constants_;
  std::vector<RingStep> steps_;
};

}  // namespace fhe
