// SPDX-License-Identifier: Apache-2.0
#include "apps/report/page/axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fhe::bench {

namespace {

constexpr double kRounding = 1e-9;  // relative: what sums and logarithms may be off by

// The largest of 1, 2, 5 times a power of ten that divides `length` into at least four steps; 1
// when that is less and the scale is of whole numbers.
double round_step(Scale scale, double length) {
  constexpr double kFewestSteps = 4;
  const double largest = length / kFewestSteps * (1 + kRounding);
  const double power = std::pow(10, std::floor(std::log10(largest)));
  double step = power;
  for (const double digit : {2.0, 5.0}) {
    if (digit * power <= largest) step = digit * power;
  }
  return scale == Scale::whole ? std::max(1.0, step) : step;
}

double decade_below(double value) {
  return std::pow(10, std::floor(std::log10(value) + kRounding));
}

double decade_above(double value) {
  return std::pow(10, std::ceil(std::log10(value) - kRounding));
}

Interval linear_covering(Scale scale, const std::vector<double>& values) {
  if (values.empty()) return {0, 1};
  const double low = std::min(0.0, *std::ranges::min_element(values));
  const double high = std::max(0.0, *std::ranges::max_element(values));
  if (low == high) return {0, 1};
  const double step = round_step(scale, high - low);
  return {std::floor(low / step + kRounding) * step, std::ceil(high / step - kRounding) * step};
}

Interval logarithmic_covering(std::vector<double> values) {
  std::erase_if(values, [](double value) { return value <= 0; });
  if (values.empty()) return {1, 10};
  const double low = decade_below(*std::ranges::min_element(values));
  return {low, std::max(10 * low, decade_above(*std::ranges::max_element(values)))};
}

}  // namespace

Interval covering(Scale scale, const std::vector<double>& values) {
  return scale == Scale::logarithmic ? logarithmic_covering(values)
                                     : linear_covering(scale, values);
}

Axis::Axis(Scale scale, Interval values, double start, double end)
    : scale_(scale), values_(values), start_(start), end_(end) {}

double Axis::at(double value) const {
  const double inside = std::clamp(value, values_.low, values_.high);
  const double part = scale_ == Scale::logarithmic
                          ? std::log(inside / values_.low) / std::log(values_.high / values_.low)
                          : (inside - values_.low) / (values_.high - values_.low);
  return start_ + part * (end_ - start_);
}

std::vector<double> Axis::tick_values() const {
  std::vector<double> values;
  if (scale_ == Scale::logarithmic) {
    const double end = values_.high * (1 + kRounding);
    for (double v = decade_above(values_.low); v <= end; v *= 10) values.push_back(v);
    return values;
  }
  const double step = round_step(scale_, values_.high - values_.low);
  const auto first = static_cast<long>(std::ceil(values_.low / step - kRounding));
  const auto last = static_cast<long>(std::floor(values_.high / step + kRounding));
  for (long i = first; i <= last; ++i) values.push_back(static_cast<double>(i) * step);
  return values;
}

std::vector<Tick> Axis::ticks(LabelOf label, double spacing) const {
  const std::vector<double> values = tick_values();
  if (values.size() < 2) {
    return values.empty() ? std::vector<Tick>{} : std::vector<Tick>{{values[0], label(values[0])}};
  }
  const double apart = std::abs(at(values[1]) - at(values[0]));
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(spacing / apart)));
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ticks.push_back({values[i], i % every == 0 ? label(values[i]) : ""});
  }
  return ticks;
}

}  // namespace fhe::bench
