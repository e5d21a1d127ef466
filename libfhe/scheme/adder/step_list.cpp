// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/adder/step_list.hpp"

#include <algorithm>

namespace fhe {

namespace {

constexpr StepList::Value kConstant = StepList::Value{1} << 31;

}  // namespace

StepList::Value StepList::constant(const RingConstant& x) {
  const auto found = std::ranges::find(constants_, x);
  const auto index = static_cast<Value>(found - constants_.begin());
  if (found == constants_.end()) constants_.push_back(x);
  return kConstant | index;
}

StepList::Value StepList::append(RingOperationKind operation, Value left, Value right) {
  steps_.push_back({operation, left, right});
  return inputs_ + static_cast<Value>(steps_.size()) - 1;
}

StepList::Value StepList::add_up(const AdderProgram& adder, std::span<const Value> values) {
  const auto count = static_cast<Value>(values.size());
  const Value before = inputs_ + static_cast<Value>(steps_.size());
  const auto value = [&](Value index) {
    return index < count ? values[index] : before + index - count;
  };
  for (const auto& [operation, left, right] : adder.steps())
    append(operation, value(left), value(right));
  return value(static_cast<Value>(adder.output()));
}

StepList::Value StepList::index_of(Value value) const {
  if (value >= kConstant) return inputs_ + (value & ~kConstant);
  return value < inputs_ ? value : value + static_cast<Value>(constants_.size());
}

StepList::Finished StepList::finished(Value output) const {
  Finished list{.constants = constants_, .steps = steps_, .output = index_of(output)};
  for (RingStep& step : list.steps) {
    step.left = index_of(step.left);
    step.right = index_of(step.right);
  }
  return list;
}

}  // namespace fhe
