// SPDX-License-Identifier: Apache-2.0
#include "apps/report/page/chart.hpp"

#include <fmt/format.h>

namespace fhe::bench {

std::string_view chart_style() {
  return R"css(.chart { font: 11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
  --ink: #1c2024; --soft: #5b636c; --rule: #dfe3e8; --ground: #ffffff; }
.chart text { fill: var(--ink); }
.chart .head { font-size: 13px; font-weight: 600; }
.chart .value { fill: var(--soft); font-size: 10.5px; }
.chart .ground { fill: var(--ground); }
.chart .grid { stroke: var(--rule); }
.chart .bar { fill: var(--colour); }
.chart .line { fill: none; stroke: var(--colour); stroke-width: 2; stroke-linejoin: round; }
.chart .mark { fill: var(--colour); stroke: var(--ground); }
.s0 { --colour: #0072b2; } .s1 { --colour: #d55e00; } .s2 { --colour: #009e73; } .s3 { --colour: #b4578f; }
.s4 { --colour: #7d858e; } .s5 { --colour: #3f9fd6; } .s6 { --colour: #9a7400; } .s7 { --colour: #e0a000; }
@media (prefers-color-scheme: dark) {
  .chart { --ink: #e6e9ed; --soft: #a9b1ba; --rule: #343b43; --ground: #16191d; }
  .s0 { --colour: #4aa8e0; } .s1 { --colour: #f0814a; } .s2 { --colour: #2fc49a; } .s3 { --colour: #dd9abf; }
  .s4 { --colour: #98a1ab; } .s5 { --colour: #8fd0f5; } .s6 { --colour: #c9a227; } .s7 { --colour: #ffc94d; }
}
)css";
}

std::string standalone_svg(const Chart& chart) {
  std::string svg = chart.svg;
  const std::size_t contents = svg.find('>') + 1;
  return svg.insert(contents, fmt::format("\n<style>\n{}</style>", chart_style()));
}

}  // namespace fhe::bench
