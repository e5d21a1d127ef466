// SPDX-License-Identifier: Apache-2.0
#include "apps/report/page/chart.hpp"

#include <algorithm>
#include <cmath>
#include <regex>

#include <fmt/format.h>

#include "tests/bench/xml.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

using bench::Bar;
using bench::BarChart;
using bench::Chart;
using bench::LineChart;
using bench::Scale;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;

std::string plain(double value) {
  return fmt::format("{:g}", value);
}

BarChart bars(Scale scale, const std::vector<double>& values) {
  BarChart chart{{"A chart", "what it shows"}, {"seconds", scale, plain}, {}, {{"one", 0, {}}}};
  for (const double value : values) {
    chart.groups.push_back(fmt::format("group {}", chart.groups.size()));
    chart.series[0].bars.push_back(Bar{value, plain(value), fmt::format("tip {}", value)});
  }
  return chart;
}

// The numbers that a pattern with one group finds.
std::vector<double> numbers(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::vector<double> found;
  for (std::sregex_iterator it(text.begin(), text.end(), wanted), end; it != end; ++it) {
    found.push_back(std::stod((*it)[1]));
  }
  return found;
}

std::vector<double> bar_lengths(const Chart& chart) {
  return numbers(chart.svg, R"re(width="([0-9.]+)" height="11.0" class="bar)re");
}

auto count(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::count(names, name);
}

}  // namespace

TEST_CASE("chart: linear bars are as long as their values", "[bench]") {
  const std::vector<double> lengths = bar_lengths(draw(bars(Scale::linear, {1, 2, 4})));
  REQUIRE(lengths.size() == 3);
  CHECK_THAT(lengths[1] / lengths[0], WithinAbs(2, 0.01));
  CHECK_THAT(lengths[2] / lengths[0], WithinAbs(4, 0.01));
}

TEST_CASE("chart: logarithmic bars differ by the logarithm of the ratio", "[bench]") {
  const std::vector<double> lengths = bar_lengths(draw(bars(Scale::logarithmic, {2, 20, 2000})));
  REQUIRE(lengths.size() == 3);
  CHECK_THAT(lengths[2] - lengths[1], WithinAbs(2 * (lengths[1] - lengths[0]), 0.3));
  CHECK(lengths[0] > 5);
}

TEST_CASE("chart: the smallest logarithmic bar is seen even at a power of ten", "[bench]") {
  for (const double length : bar_lengths(draw(bars(Scale::logarithmic, {0.001, 1})))) {
    CHECK(length > 10);
  }
}

TEST_CASE("chart: everything stays inside of the drawing", "[bench]") {
  const Chart chart = draw(bars(Scale::linear, {1, 1e6, 33}));
  const double width = numbers(chart.svg, "viewBox=\"0 0 ([0-9.]+)").at(0);
  const double height = numbers(chart.svg, "viewBox=\"0 0 [0-9.]+ ([0-9.]+)").at(0);
  for (const double x : numbers(chart.svg, " x=\"([-0-9.]+)\"")) CHECK((x >= 0 && x <= width));
  for (const double y : numbers(chart.svg, " y=\"([-0-9.]+)\"")) CHECK((y >= 0 && y <= height));
}

TEST_CASE("chart: groups without a bar are left out", "[bench]") {
  BarChart chart = bars(Scale::linear, {1, 2, 3});
  chart.series[0].bars[1].reset();
  const Chart drawn = draw(chart);
  CHECK(bar_lengths(drawn).size() == 2);
  CHECK_THAT(drawn.svg, !ContainsSubstring("group 1"));
}

TEST_CASE("chart: says in words what it shows, and every mark its numbers", "[bench]") {
  const Chart chart = draw(bars(Scale::linear, {1, 2, 3}));
  CHECK_THAT(chart.svg, ContainsSubstring("role=\"img\" aria-label=\"A chart. what it shows\""));
  CHECK_THAT(chart.svg, ContainsSubstring("<title>tip 3</title>"));
  const auto names = elements_of(chart.svg);
  CHECK(count(names, "svg") == 1);
  CHECK(count(names, "title") == 3);
}

TEST_CASE("chart: lines have a marker with a tooltip for each point", "[bench]") {
  const LineChart chart{{"Lines", "d"},
                        {"bits", Scale::logarithmic, plain},
                        {"time", Scale::logarithmic, plain},
                        {{"connected", 0, true, {{1, 1, "a"}, {10, 10, "b"}, {100, 100, "c"}}},
                         {"points", 1, false, {{5, 5, "d"}}}}};
  const Chart drawn = draw(chart);
  const auto names = elements_of(drawn.svg);
  CHECK(count(names, "title") == 4);
  const std::regex line(
      "M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)\" class=\"line s0");
  std::smatch at;
  REQUIRE(std::regex_search(drawn.svg, at, line));
  CHECK_THAT(std::stod(at[5]) - std::stod(at[3]),
             WithinAbs(std::stod(at[3]) - std::stod(at[1]), 0.2));
  CHECK(std::stod(at[6]) < std::stod(at[4]));
  CHECK_THAT(drawn.svg, !ContainsSubstring("class=\"line s1"));
}

TEST_CASE("chart: a chart of nothing is still a chart", "[bench]") {
  elements_of(draw(BarChart{{"Empty", "d"}, {"x", Scale::logarithmic, plain}, {}, {}}).svg);
  elements_of(draw(LineChart{{"Empty", "d"},
                             {"x", Scale::linear, plain},
                             {"y", Scale::logarithmic, plain},
                             {{"no points", 0, true, {}}}})
                  .svg);
}

TEST_CASE("chart: names cannot break out of it, however long", "[bench]") {
  BarChart chart = bars(Scale::linear, {1, 2});
  chart.text.title = "</svg><script>alert(\"&\")</script>";
  chart.groups[0] = "<b>&" + std::string(1000, 'x');
  chart.series[0].name = "'\"<i>";
  chart.series.push_back(chart.series[0]);
  chart.series[0].bars[0]->tooltip = "</title><script>";
  const Chart drawn = draw(chart);
  const auto names = elements_of(drawn.svg);
  CHECK(count(names, "script") == 0);
  CHECK(count(names, "b") == 0);
  CHECK_THAT(drawn.svg, !ContainsSubstring(std::string(100, 'x')));
  for (const double length : bar_lengths(drawn)) CHECK(length > 1);
}

TEST_CASE("chart: a file of its own brings its style for light and dark", "[bench]") {
  const std::string svg = standalone_svg(draw(bars(Scale::linear, {1})));
  elements_of(svg);
  CHECK_THAT(svg, Catch::Matchers::StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK_THAT(svg, ContainsSubstring("prefers-color-scheme: dark"));
  CHECK_THAT(svg, !ContainsSubstring("url("));
  for (std::size_t style = 0; style < bench::kStyles; ++style) {
    CHECK_THAT(svg, ContainsSubstring(fmt::format(".s{} {{ --colour: #", style)));
  }
}

}  // namespace fhe::test
