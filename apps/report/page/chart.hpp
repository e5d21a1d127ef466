// SPDX-License-Identifier: Apache-2.0
// Charts as SVG: grouped bars, and lines with markers, on linear or logarithmic axes.
//
// A chart is drawn 460 units wide, so that its text can be read on a telephone as well. Series
// differ in colour, of a palette after Okabe and Ito that colour-blind eyes tell apart, and in the
// order of bars or the shape of markers. Every mark has its numbers as <title>, which browsers show
// as a tooltip; the whole chart has a title and a description for those who do not see it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/report/page/axis.hpp"

namespace fhe::bench {

// What a series looks like, the same in every chart that it is in. Styles repeat after kStyles.
inline constexpr std::size_t kStyles = 8;

struct ChartText {
  std::string title;
  std::string description;  // what a reader should see, in a sentence or two
};

struct AxisPlan {
  std::string_view title;  // outlives the plan
  Scale scale = Scale::linear;
  LabelOf label = nullptr;
};

struct Bar {
  double value = 0;
  std::string label;    // beside the bar
  std::string tooltip;  // with series and group
};

struct BarSeries {
  std::string name;
  std::size_t style = 0;
  std::vector<std::optional<Bar>> bars;  // one for each group, or none
};

// Horizontal bars, under each other within a group.
struct BarChart {
  ChartText text;
  AxisPlan axis;
  std::vector<std::string> groups;
  std::vector<BarSeries> series;
};

struct Point {
  double x = 0;
  double y = 0;
  std::string tooltip;
};

struct PointSeries {
  std::string name;
  std::size_t style = 0;
  bool connected = true;  // by lines
  std::vector<Point> points;
};

struct LineChart {
  ChartText text;
  AxisPlan x;
  AxisPlan y;
  std::vector<PointSeries> series;
};

// A drawn chart: an <svg> element without its style sheet.
struct Chart {
  ChartText text;
  std::string svg;
};

Chart draw(const BarChart& chart);
Chart draw(const LineChart& chart);

// The rules, for light and dark, that drawn charts need once in a page.
std::string_view chart_style();

// A chart as a file of its own.
std::string standalone_svg(const Chart& chart);

}  // namespace fhe::bench
