// SPDX-License-Identifier: Apache-2.0
// What charts are drawn with: elements of SVG, and the head and axes that all charts have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "apps/report/page/axis.hpp"
#include "apps/report/page/chart.hpp"

namespace fhe::bench {

// Lengths, in units of the drawing.
inline constexpr double kChartWidth = 460;
inline constexpr double kChartMargin = 8;
inline constexpr double kLineHeight = 16;   // from one line of text to the next
inline constexpr double kTickSpacing = 52;  // between labels along a horizontal axis

// About how wide a text is as it is shown: see shortened.
double width_of(std::string_view text);
double widest_of(const std::vector<std::string>& texts);

// The text, or its beginning and an ellipsis when it is longer than a legend or label may be.
std::string shortened(std::string_view text);

enum class Anchor { start, middle, end };

// The elements of a chart in the order in which they are painted. Texts are escaped, and stand with
// their middle at y. Styles are classes of chart_style().
class Drawing {
 public:
  void text(double x, double y, Anchor anchor, std::string_view text, std::string_view style = {});
  void vertical_text(double x, double y, std::string_view text);
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  void path(std::string_view d, std::string_view style, std::string_view tooltip = {});
  void rectangle(double x, double y, double width, double height, std::string_view style,
                 std::string_view tooltip = {});

  // The whole <svg> element, which says in words what it shows.
  [[nodiscard]] std::string element(const ChartText& text, double height) const;

 private:
  std::string out_;
};

// The class of a kind of mark ("bar", "line", "mark") in the colour of a series.
std::string style_of(std::string_view kind, std::size_t style);

// The path of a series' marker around a point.
std::string marker(std::size_t style, double x, double y);

enum class LegendKey { box, marker };

struct LegendEntry {
  std::string_view name;
  std::size_t style;
};

// Draws the title and, for more than one series, the legend; returns where the plot may begin.
double draw_head(Drawing& drawing, const ChartText& text, const std::vector<LegendEntry>& legend,
                 LegendKey key);

// Draws the ticks and the title of an axis under a plot from `top` to `bottom`; returns the height
// of the chart.
double draw_axis_below(Drawing& drawing, const Axis& axis, const AxisPlan& plan, double top,
                       double bottom);

// Draws the ticks and the title of an axis at the left of a plot from `left` to `right`.
void draw_axis_beside(Drawing& drawing, const Axis& axis, const AxisPlan& plan, double left,
                      double right);

}  // namespace fhe::bench
