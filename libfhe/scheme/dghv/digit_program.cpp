// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/digit_program.hpp"

#include <array>
#include <initializer_list>
#include <optional>

#include "libfhe/arith/small_quotient.hpp"
#include "libfhe/scheme/dghv/digit_formula.hpp"

namespace fhe::dghv {

namespace {

constexpr unsigned kBits = 5;  // of z

// The algebra of top_digit() that writes down the steps.
class RecordedValues {
 public:
  using Value = StepList::Value;

  RecordedValues(StepList& steps, const Integer& x0) : steps_(steps), x0_(x0) {}

  template <class... Pairs>
  [[nodiscard]] std::array<Value, sizeof...(Pairs)> products(const Pairs&... pairs) const {
    return {steps_.multiply(pairs.left, pairs.right)...};
  }

  [[nodiscard]] Value quotient(std::initializer_list<Multiple<Value>> multiples,
                               unsigned long divisor) const {
    return divided_value(sum(multiples), divisor);
  }

  [[nodiscard]] Value quotient(std::initializer_list<Multiple<Value>> multiples,
                               std::initializer_list<MultipleOfProduct<Value>> products,
                               unsigned long divisor) const {
    std::optional<Value> total;
    for (const auto& [times, left, right] : products) {
      const Value product = steps_.multiply(multiple(times, left), right);
      total = total ? steps_.add(*total, product) : product;
    }
    return divided_value(steps_.add(*total, sum(multiples)), divisor);
  }

  // What is subtracted is summed up first.
  [[nodiscard]] Value sum(std::initializer_list<Multiple<Value>> multiples) const {
    const std::optional<Value> positive = sum_of_absolutes(multiples, 1);
    const std::optional<Value> negative = sum_of_absolutes(multiples, -1);
    return negative ? steps_.add(*positive, multiple(-1, *negative)) : *positive;
  }

 private:
  [[nodiscard]] Value multiple(long times, Value x) const {
    return times == 1 ? x : steps_.multiply(x, steps_.constant(Integer(times)));
  }
  [[nodiscard]] Value divided_value(Value x, unsigned long divisor) const {
    return steps_.multiply(
        x, steps_.constant({.value = divided(Integer(1), divisor, x0_), .inverse_of = divisor}));
  }

  // Of those of one sign.
  [[nodiscard]] std::optional<Value> sum_of_absolutes(
      std::initializer_list<Multiple<Value>> multiples, long sign) const {
    std::optional<Value> sum;
    for (const auto& [times, value] : multiples) {
      if (times * sign < 0) continue;
      const Value term = multiple(times * sign, value);
      sum = sum ? steps_.add(*sum, term) : term;
    }
    return sum;
  }

  StepList& steps_;
  const Integer& x0_;
};

}  // namespace

DigitProgram::DigitProgram(const Parameters& parameters, const SquashedKey& key, const Integer& x0)
    : parameters_(parameters),
      key_(key),
      factors_(squash_stream(parameters, key.seed)),
      chi_(key_bit_stream(parameters, key.seed)),
      digit_chi_(key_digit_stream(parameters, key.seed)) {
  if (parameters.has_digit_set()) elements_.push_back({digit_chi_, key.digit_sigma});
  elements_.push_back({chi_, key.sigma});
  const auto b_group = add_group(0, 0);
  const std::size_t first = (elements_.size() - 1) * parameters.Theta;
  const auto two_or_three = first == 0 ? b_group : add_group(first, 0);
  const auto one_or_two = add_group(first, 1);
  StepList steps(groups_.size() * kBits);
  const RecordedValues values(steps, x0);
  const auto bit = [](StepList::Value group, unsigned i) { return group * kBits + i; };
  const StepList::Value a = values.sum({{1, bit(one_or_two, 1)}, {-1, bit(two_or_three, 1)}});
  const StepList::Value b = values.sum({{1, steps.constant(8)},
                                        {1, bit(b_group, 0)},
                                        {2, bit(b_group, 1)},
                                        {4, bit(b_group, 2)},
                                        {8, bit(b_group, 3)},
                                        {-16, bit(b_group, 4)}});
  steps_ = steps.finished(top_digit(values, a, b));
}

RingProgram DigitProgram::program() const {
  return {.first_factors = key_.solved,
          .other_factors = &factors_,
          .windows = window_spec(parameters_),
          .residues = {},
          .elements = elements_,
          .kept = {},
          .groups = groups_,
          .singles = {},
          .constants = steps_.constants,
          .steps = steps_.steps,
          .output = steps_.output};
}

StepList::Value DigitProgram::add_group(std::size_t first, std::uint32_t plus) {
  groups_.push_back({.first = first,
                     .count = parameters_.Theta,
                     .first_window = 0,
                     .window_step = 1,
                     .plus = plus});
  return static_cast<StepList::Value>(groups_.size() - 1);
}

}  // namespace fhe::dghv
