// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "apps/report/page/chart.hpp"
#include "apps/report/page/drawing.hpp"

namespace fhe::bench {

namespace {

void draw_series(Drawing& drawing, const PointSeries& series, const Axis& x, const Axis& y) {
  std::string line;
  for (const Point& point : series.points) {
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? 'M' : 'L', x.at(point.x), y.at(point.y));
  }
  if (series.connected && series.points.size() > 1) {
    drawing.path(line, style_of("line", series.style));
  }
  for (const Point& point : series.points) {
    drawing.path(marker(series.style, x.at(point.x), y.at(point.y)), style_of("mark", series.style),
                 point.tooltip);
  }
}

std::vector<double> coordinates(const LineChart& chart, double Point::*coordinate) {
  std::vector<double> values;
  for (const PointSeries& series : chart.series) {
    for (const Point& point : series.points) values.push_back(point.*coordinate);
  }
  return values;
}

// How wide the labels of an axis are.
double label_width(Scale scale, const Interval& interval, LabelOf label) {
  std::vector<std::string> labels;
  for (const Tick& tick : Axis(scale, interval, 0, 1).ticks(label, 0)) labels.push_back(tick.label);
  return widest_of(labels);
}

}  // namespace

Chart draw(const LineChart& chart) {
  constexpr double kPlotHeight = 240;
  std::vector<LegendEntry> legend;
  legend.reserve(chart.series.size());
  for (const PointSeries& series : chart.series) legend.push_back({series.name, series.style});
  Drawing drawing;
  const double top = draw_head(drawing, chart.text, legend, LegendKey::marker);
  const double bottom = top + kPlotHeight;
  const Interval heights = covering(chart.y.scale, coordinates(chart, &Point::y));
  const double left =
      kChartMargin + kLineHeight + 8 + label_width(chart.y.scale, heights, chart.y.label);
  const double right = kChartWidth - kChartMargin - kTickSpacing / 2;
  const Axis x(chart.x.scale, covering(chart.x.scale, coordinates(chart, &Point::x)), left, right);
  const Axis y(chart.y.scale, heights, bottom, top);
  draw_axis_beside(drawing, y, chart.y, left, right);
  const double height = draw_axis_below(drawing, x, chart.x, top, bottom);
  for (const PointSeries& series : chart.series) draw_series(drawing, series, x, y);
  return {chart.text, drawing.element(chart.text, height)};
}

}  // namespace fhe::bench
