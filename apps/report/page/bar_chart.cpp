// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "apps/report/page/chart.hpp"
#include "apps/report/page/drawing.hpp"

namespace fhe::bench {

namespace {

// Where the bars of a chart lie: groups under each other, with room for the bars that they have.
class BarLayout {
 public:
  BarLayout(const BarChart& chart, double top) : chart_(chart), y_(top) {}

  static constexpr double kThickness = 11;

  // Calls draw_bar(series, bar, y of its top) for every bar and draw_group(name, y of its middle).
  template <class DrawBar, class DrawGroup>
  void walk(const DrawBar& draw_bar, const DrawGroup& draw_group) {
    for (std::size_t group = 0; group < chart_.groups.size(); ++group) {
      const double top = y_;
      for (const BarSeries& series : chart_.series) {
        if (!series.bars[group]) continue;
        draw_bar(series, *series.bars[group], y_);
        y_ += kThickness + kGap;
      }
      draw_group(chart_.groups[group], (top + y_ - kGap) / 2);
      y_ += kGroupGap;
    }
  }

  [[nodiscard]] double height() {
    const double top = y_;
    walk([](const auto&...) {}, [](const auto&...) {});
    const double bottom = std::exchange(y_, top);
    return bottom - top;
  }

 private:
  static constexpr double kGap = 2;
  static constexpr double kGroupGap = 9;

  const BarChart& chart_;
  double y_;
};

// Groups in which some series has a bar.
BarChart without_empty_groups(const BarChart& chart) {
  BarChart kept = chart;
  for (std::size_t group = chart.groups.size(); group-- > 0;) {
    const auto has_bar = [group](const BarSeries& s) { return s.bars[group].has_value(); };
    if (std::ranges::any_of(kept.series, has_bar)) continue;
    const auto at = static_cast<std::ptrdiff_t>(group);
    kept.groups.erase(kept.groups.begin() + at);
    for (BarSeries& series : kept.series) series.bars.erase(series.bars.begin() + at);
  }
  return kept;
}

std::vector<double> values_of(const BarChart& chart) {
  constexpr double kShortest = 0.7;  // on a logarithmic axis: the smallest bar is seen, too
  std::vector<double> values;
  for (const BarSeries& series : chart.series) {
    for (const std::optional<Bar>& bar : series.bars) {
      if (!bar) continue;
      values.push_back(bar->value);
      if (chart.axis.scale == Scale::logarithmic) values.push_back(kShortest * bar->value);
    }
  }
  return values;
}

double widest_label(const BarChart& chart) {
  std::vector<std::string> labels;
  for (const BarSeries& series : chart.series) {
    for (const std::optional<Bar>& bar : series.bars) {
      if (bar) labels.push_back(bar->label);
    }
  }
  return widest_of(labels);
}

void draw_bars(Drawing& drawing, const Axis& axis, BarLayout layout, double left) {
  const auto draw_bar = [&](const BarSeries& series, const Bar& bar, double y) {
    const double end = axis.at(bar.value);
    drawing.rectangle(left, y, std::max(end - left, 1.0), BarLayout::kThickness,
                      style_of("bar", series.style), bar.tooltip);
    drawing.text(end + 4, y + BarLayout::kThickness / 2, Anchor::start, bar.label, "value");
  };
  const auto draw_group = [&](const std::string& name, double middle) {
    drawing.text(left - 6, middle, Anchor::end, shortened(name));
  };
  layout.walk(draw_bar, draw_group);
}

}  // namespace

Chart draw(const BarChart& chart) {
  const BarChart shown = without_empty_groups(chart);
  std::vector<LegendEntry> legend;
  legend.reserve(shown.series.size());
  for (const BarSeries& series : shown.series) legend.push_back({series.name, series.style});
  Drawing drawing;
  const double top = draw_head(drawing, shown.text, legend, LegendKey::box);
  const double left = kChartMargin + widest_of(shown.groups) + 6;
  const double beside_bars = std::max(widest_label(shown) + 4, kTickSpacing / 2);
  const Axis axis(shown.axis.scale, covering(shown.axis.scale, values_of(shown)), left,
                  kChartWidth - kChartMargin - beside_bars);
  BarLayout layout(shown, top);
  const double height =
      draw_axis_below(drawing, axis, shown.axis, top - 4, top + layout.height() - 2);
  draw_bars(drawing, axis, layout, left);
  return {shown.text, drawing.element(shown.text, height)};
}

}  // namespace fhe::bench
