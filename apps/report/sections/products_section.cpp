// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "apps/report/sections/sections.hpp"
#include "apps/report/sections/vocabulary.hpp"
#include "apps/study/format.hpp"

namespace fhe::bench {

namespace {

// Seconds of products by the length of their operands in bits.
using BySize = std::map<std::size_t, double>;

// The operations of a run that are named "<name>_<bits>": products of two equal operands.
BySize products_of(const Run& run, std::string_view name) {
  BySize products;
  for (const Record& record : run.records) {
    std::string_view rest = record.operation;
    if (!rest.starts_with(name) || !rest.substr(name.size()).starts_with('_')) continue;
    rest.remove_prefix(name.size() + 1);
    std::size_t bits = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), bits);
    if (error == std::errc{} && end == rest.data() + rest.size() && bits > 0) {
      products.emplace(bits, record.seconds);
    }
  }
  return products;
}

// What a backend took, and GMP in the same run.
struct Measured {
  std::string label;
  std::size_t style;
  BySize products;
  BySize gmp;

  // How many times as fast as GMP; nothing for a size that GMP was not measured at.
  [[nodiscard]] std::optional<double> against_gmp(std::size_t bits) const {
    const auto by_gmp = gmp.find(bits);
    const auto ours = products.find(bits);
    if (by_gmp == gmp.end() || ours == products.end()) return std::nullopt;
    return by_gmp->second / ours->second;
  }
};

std::vector<Measured> backends_of(const Study& study) {
  std::vector<Measured> backends;
  const std::vector<std::string> labels = study.labels();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Run* const run = study.find(kEngine, labels[i]);
    if (run == nullptr) continue;
    backends.push_back({labels[i], backend_style(i), products_of(*run, "product"),
                        products_of(*run, "gmp_product")});
  }
  std::erase_if(backends, [](const Measured& m) { return m.products.empty(); });
  return backends;
}

// GMP's times in all runs; where several measured a size, that of the first.
BySize gmp_of(const std::vector<Measured>& backends) {
  BySize all;
  for (const Measured& measured : backends) all.insert(measured.gmp.begin(), measured.gmp.end());
  return all;
}

PointSeries time_series(const std::string& label, std::size_t style, const BySize& products) {
  PointSeries series{label, style, true, {}};
  for (const auto& [bits, seconds] : products) {
    series.points.push_back(
        {static_cast<double>(bits), seconds,
         fmt::format("{}: {} bits in {}", label, grouped(bits), duration(seconds))});
  }
  return series;
}

bool is_square(const PublishedProduct& product) {
  return product.bits[0] == product.bits[1];
}

PointSeries published_series(Platform platform) {
  PointSeries series{platform_title(platform), platform_style(platform), false, {}};
  for (const PublishedProduct& product : published().products) {
    if (product.origin.platform != platform || !is_square(product)) continue;
    series.points.push_back(
        {static_cast<double>(product.bits[0]), product.best_seconds(),
         fmt::format("{}: {} bits in {} ({})", product.origin.system, grouped(product.bits[0]),
                     duration(product.best_seconds()), source_text(product.origin))});
  }
  return series;
}

Figure time_chart(const std::vector<Measured>& backends) {
  LineChart chart{.text = {"Products by operand size",
                           "Time of one product of two equal operands on one thread, by their "
                           "length; both axes are logarithmic"},
                  .x = {"bits of each operand, logarithmic", Scale::logarithmic, bit_count},
                  .y = {"time, logarithmic", Scale::logarithmic, duration},
                  .series = {}};
  chart.series.push_back(time_series("GMP", kGmpStyle, gmp_of(backends)));
  for (const Measured& measured : backends) {
    chart.series.push_back(time_series(measured.label, measured.style, measured.products));
  }
  for (const Platform platform : kPlatforms) chart.series.push_back(published_series(platform));
  std::erase_if(chart.series, [](const PointSeries& series) { return series.points.empty(); });
  return {draw(chart)};
}

Figure ratio_chart(const std::vector<Measured>& backends) {
  LineChart chart{.text = {"Products against GMP",
                           "How many times as fast as GMP on the same machine, on one thread"},
                  .x = {"bits of each operand, logarithmic", Scale::logarithmic, bit_count},
                  .y = {"times as fast as GMP", Scale::linear, whole_times},
                  .series = {}};
  for (const Measured& measured : backends) {
    PointSeries series{measured.label, measured.style, true, {}};
    for (const auto& [bits, ignored] : measured.products) {
      const auto ratio = measured.against_gmp(bits);
      if (!ratio) continue;
      series.points.push_back(
          {static_cast<double>(bits), *ratio,
           fmt::format("{}: {} at {} bits", measured.label, times(*ratio), grouped(bits))});
    }
    chart.series.push_back(std::move(series));
  }
  return {draw(chart)};
}

Cell time_cell(const BySize& times_by_size, std::size_t bits, bool strong) {
  const auto time = times_by_size.find(bits);
  return time == times_by_size.end() ? Cell("") : Cell(duration(time->second), strong);
}

Table measured_table(const std::vector<Measured>& backends) {
  Table table{.caption = "Products of two equal operands, one thread",
              .columns = {"bits of each operand", "GMP"},
              .rows = {}};
  const BySize gmp = gmp_of(backends);
  BySize sizes = gmp;
  for (const Measured& measured : backends) {
    table.columns.push_back(measured.label);
    table.columns.emplace_back("against GMP");
    sizes.insert(measured.products.begin(), measured.products.end());
  }
  for (const auto& [bits, ignored] : sizes) {
    std::vector<Cell> row{grouped(bits), time_cell(gmp, bits, false)};
    for (const Measured& measured : backends) {
      row.push_back(time_cell(measured.products, bits, &measured == &backends.front()));
      const auto ratio = measured.against_gmp(bits);
      row.emplace_back(ratio ? times(*ratio) : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table published_table(const Measured& ours) {
  Table table{.caption = "Published products",
              .columns = {"system", "source", "operands in bits", "printed", "cycles", "clock",
                          "from cycles", fmt::format("{} here", ours.label)},
              .rows = {},
              .text_columns = 2};
  for (const PublishedProduct& product : published().products) {
    const auto& cycles = product.cycles;
    table.rows.push_back(
        {product.origin.system, source_text(product.origin),
         fmt::format("{} x {}", grouped(product.bits[0]), grouped(product.bits[1])),
         product.seconds ? duration(*product.seconds) : "",
         cycles ? grouped(static_cast<std::uint64_t>(cycles->count)) : "",
         cycles ? frequency(cycles->hertz) : "", cycles ? duration(cycles->seconds()) : "",
         is_square(product) ? time_cell(ours.products, product.bits[0], false) : Cell("")});
  }
  return table;
}

}  // namespace

Section products_section(const Study& study) {
  Section section{"Products", {}};
  const std::vector<Measured> backends = backends_of(study);
  if (backends.empty()) return section;
  section.parts.emplace_back(Gallery{{time_chart(backends), ratio_chart(backends)}});
  section.parts.emplace_back(measured_table(backends));
  section.parts.emplace_back(published_table(backends.front()));
  return section;
}

}  // namespace fhe::bench
