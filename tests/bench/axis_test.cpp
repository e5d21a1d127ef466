// SPDX-License-Identifier: Apache-2.0
#include "apps/report/page/axis.hpp"

#include <cmath>

#include <fmt/format.h>

#include "tests/catch.hpp"

namespace fhe::test {

namespace {

using bench::Axis;
using bench::covering;
using bench::Scale;
using Catch::Matchers::WithinAbs;

std::string plain(double value) {
  return fmt::format("{:g}", value);
}

std::vector<std::string> labels(const Axis& axis, double spacing) {
  std::vector<std::string> texts;
  for (const bench::Tick& tick : axis.ticks(plain, spacing)) texts.push_back(tick.label);
  return texts;
}

void check_interval(Scale scale, const std::vector<double>& values, double low, double high) {
  const bench::Interval interval = covering(scale, values);
  CHECK_THAT(interval.low, WithinAbs(low, 1e-12 * std::abs(low)));
  CHECK_THAT(interval.high, WithinAbs(high, 1e-12 * std::abs(high)));
}

}  // namespace

TEST_CASE("axis: a linear scale begins at 0 and ends at a round number", "[bench]") {
  check_interval(Scale::linear, {3, 11.3}, 0, 12);
  check_interval(Scale::linear, {0.13}, 0, 0.14);
  check_interval(Scale::linear, {970}, 0, 1000);
  check_interval(Scale::linear, {-3, 5}, -4, 6);
  check_interval(Scale::linear, {}, 0, 1);
  check_interval(Scale::linear, {0, 0}, 0, 1);
  check_interval(Scale::whole, {0, 2}, 0, 2);
}

TEST_CASE("axis: a logarithmic scale covers whole decades", "[bench]") {
  check_interval(Scale::logarithmic, {2e-6, 3}, 1e-6, 10);
  check_interval(Scale::logarithmic, {1e-3, 1}, 1e-3, 1);
  check_interval(Scale::logarithmic, {5}, 1, 10);
  check_interval(Scale::logarithmic, {10}, 10, 100);
  check_interval(Scale::logarithmic, {0, -1, 20}, 10, 100);
  check_interval(Scale::logarithmic, {}, 1, 10);
  for (int power = -12; power <= 12; ++power) {
    const double value = std::pow(10, power);
    INFO(power);
    check_interval(Scale::logarithmic, {value, 100 * value}, value, 100 * value);
  }
}

TEST_CASE("axis: values lie between the ends, in either direction", "[bench]") {
  const Axis linear(Scale::linear, {0, 10}, 100, 200);
  CHECK_THAT(linear.at(0), WithinAbs(100, 1e-9));
  CHECK_THAT(linear.at(2.5), WithinAbs(125, 1e-9));
  CHECK_THAT(linear.at(10), WithinAbs(200, 1e-9));
  CHECK_THAT(linear.at(-5), WithinAbs(100, 1e-9));
  CHECK_THAT(linear.at(50), WithinAbs(200, 1e-9));
  const Axis upwards(Scale::logarithmic, {1e-3, 1e3}, 300, 0);
  CHECK_THAT(upwards.at(1e-3), WithinAbs(300, 1e-9));
  CHECK_THAT(upwards.at(1), WithinAbs(150, 1e-9));
  CHECK_THAT(upwards.at(100), WithinAbs(50, 1e-9));
  CHECK_THAT(upwards.at(0), WithinAbs(300, 1e-9));
}

TEST_CASE("axis: ticks are round, inside, and labelled where there is room", "[bench]") {
  using Labels = std::vector<std::string>;
  const Axis linear(Scale::linear, {0, 12}, 0, 240);
  CHECK(labels(linear, 30) == Labels{"0", "2", "4", "6", "8", "10", "12"});
  CHECK(labels(linear, 41) == Labels{"0", "", "4", "", "8", "", "12"});
  const Axis whole(Scale::whole, {0, 2}, 0, 100);
  CHECK(labels(whole, 10) == Labels{"0", "1", "2"});
  const Axis decades(Scale::logarithmic, {1e-5, 10}, 0, 300);
  CHECK(labels(decades, 20) == Labels{"1e-05", "0.0001", "0.001", "0.01", "0.1", "1", "10"});
  CHECK(labels(decades, 52) == Labels{"1e-05", "", "0.001", "", "0.1", "", "10"});
  const Axis within(Scale::logarithmic, {3, 30}, 0, 100);
  CHECK(labels(within, 20) == Labels{"10"});
}

TEST_CASE("axis: any linear interval has three to ten ticks", "[bench]") {
  for (double length = 1e-9; length < 1e9; length *= 1.37) {
    const bench::Interval interval = covering(Scale::linear, {length});
    const auto ticks = Axis(Scale::linear, interval, 0, 1000).ticks(plain, 0);
    INFO(length);
    CHECK(interval.high >= length);
    CHECK(interval.high < 1.26 * length);
    CHECK(ticks.size() >= 5);
    CHECK(ticks.size() <= 11);
    CHECK(ticks.front().value == 0);
    CHECK_THAT(ticks.back().value, WithinAbs(interval.high, 1e-9 * interval.high));
  }
}

}  // namespace fhe::test
