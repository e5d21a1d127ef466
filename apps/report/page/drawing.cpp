// SPDX-License-Identifier: Apache-2.0
#include "apps/report/page/drawing.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "apps/report/page/escape.hpp"

namespace fhe::bench {

namespace {

constexpr double kTextFoot = 4;     // from the middle of a line of text to its foot
constexpr double kCharacter = 6.3;  // width of one, on average, at the size of chart_style()
constexpr double kTickLength = 4;

std::string_view to_string(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
  }
  return "";
}

// Characters of UTF-8: all bytes but those that continue one.
std::size_t characters(std::string_view text) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::ranges::count_if(text, begins));
}

std::string title(std::string_view tooltip) {
  return tooltip.empty() ? "" : fmt::format("<title>{}</title>", escape_xml(tooltip));
}

// The names of series with what they look like, in as many lines as it takes; returns where the
// lines end.
double draw_legend(Drawing& drawing, const std::vector<LegendEntry>& legend, LegendKey key,
                   double y) {
  constexpr double kKeyWidth = 16;
  constexpr double kGap = 14;
  double x = kChartMargin;
  for (const LegendEntry& entry : legend) {
    const double width = kKeyWidth + width_of(entry.name);
    if (x > kChartMargin && x + width > kChartWidth - kChartMargin) {
      x = kChartMargin;
      y += kLineHeight;
    }
    if (key == LegendKey::box) {
      drawing.rectangle(x, y - 5, 11, 10, style_of("bar", entry.style));
    } else {
      drawing.path(marker(entry.style, x + 5, y), style_of("mark", entry.style));
    }
    drawing.text(x + kKeyWidth, y, Anchor::start, shortened(entry.name));
    x += width + kGap;
  }
  return y + kLineHeight;
}

}  // namespace

double width_of(std::string_view text) {
  return kCharacter * static_cast<double>(characters(shortened(text)));
}

double widest_of(const std::vector<std::string>& texts) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, width_of(text));
  return width;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  if (characters(text) <= kLongest) return std::string(text);
  std::size_t bytes = 0;
  while (characters(text.substr(0, bytes + 1)) < kLongest) ++bytes;
  return std::string(text.substr(0, bytes)) + "\xe2\x80\xa6";
}

void Drawing::text(double x, double y, Anchor anchor, std::string_view text,
                   std::string_view style) {
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x,
                      y + kTextFoot, to_string(anchor),
                      style.empty() ? "" : fmt::format(" class=\"{}\"", style), escape_xml(text));
}

void Drawing::vertical_text(double x, double y, std::string_view text) {
  out_ += fmt::format(
      "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      x, y, escape_xml(text));
}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view style) {
  path(fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x1, y1, x2, y2), style);
}

void Drawing::path(std::string_view d, std::string_view style, std::string_view tooltip) {
  out_ += fmt::format("<path d=\"{}\" class=\"{}\">{}</path>\n", d, style, title(tooltip));
}

void Drawing::rectangle(double x, double y, double width, double height, std::string_view style,
                        std::string_view tooltip) {
  out_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\">{}</rect>\n",
      x, y, width, height, style, title(tooltip));
}

std::string Drawing::element(const ChartText& text, double height) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}. {3}\">\n"
      "<rect width=\"100%\" height=\"100%\" class=\"ground\"/>\n{4}</svg>\n",
      kChartWidth, height, escape_xml(text.title), escape_xml(text.description), out_);
}

std::string style_of(std::string_view kind, std::size_t style) {
  return fmt::format("{} s{}", kind, style % kStyles);
}

std::string marker(std::size_t style, double x, double y) {
  constexpr std::array<std::string_view, kStyles> kOutlines{
      "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",           // circle
      "m-4 -4h8v8h-8z",                                // square
      "m0 -5.5l5 9h-10z",                              // triangle
      "m0 -5l5 5l-5 5l-5 -5z",                         // diamond
      "m-2 -5h4v3h3v4h-3v3h-4v-3h-3v-4h3z",            // cross
      "m0 5.5l-5 -9h10z",                              // triangle on its head
      "m-5 -2.5h10v5h-10z",                            // brick
      "m-2.5 -4.5h5l2.5 4.5l-2.5 4.5h-5l-2.5 -4.5z"};  // hexagon
  return fmt::format("M{:.1f} {:.1f}{}", x, y, kOutlines[style % kStyles]);
}

double draw_head(Drawing& drawing, const ChartText& text, const std::vector<LegendEntry>& legend,
                 LegendKey key) {
  double y = kChartMargin + kLineHeight / 2;
  drawing.text(kChartMargin, y, Anchor::start, text.title, "head");
  y += kLineHeight + 4;
  return legend.size() > 1 ? draw_legend(drawing, legend, key, y) : y;
}

double draw_axis_below(Drawing& drawing, const Axis& axis, const AxisPlan& plan, double top,
                       double bottom) {
  const double labels = bottom + 14;
  double left = kChartWidth;
  double right = 0;
  for (const Tick& tick : axis.ticks(plan.label, kTickSpacing)) {
    const double x = axis.at(tick.value);
    left = std::min(left, x);
    right = std::max(right, x);
    drawing.line(x, top, x, bottom + (tick.label.empty() ? 0 : kTickLength), "grid");
    if (!tick.label.empty()) drawing.text(x, labels, Anchor::middle, tick.label);
  }
  drawing.text((left + right) / 2, labels + kLineHeight, Anchor::middle, plan.title);
  return labels + kLineHeight + 12;
}

void draw_axis_beside(Drawing& drawing, const Axis& axis, const AxisPlan& plan, double left,
                      double right) {
  constexpr double kSpacing = 18;
  const std::vector<Tick> ticks = axis.ticks(plan.label, kSpacing);
  for (const Tick& tick : ticks) {
    const double y = axis.at(tick.value);
    drawing.line(left - (tick.label.empty() ? 0 : kTickLength), y, right, y, "grid");
    if (!tick.label.empty()) drawing.text(left - 7, y, Anchor::end, tick.label);
  }
  if (ticks.empty()) return;
  const double middle = (axis.at(ticks.front().value) + axis.at(ticks.back().value)) / 2;
  drawing.vertical_text(kChartMargin + 6, middle, plan.title);
}

}  // namespace fhe::bench
