// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "apps/report/sections/sections.hpp"
#include "apps/report/sections/vocabulary.hpp"
#include "apps/study/format.hpp"

namespace fhe::bench {

namespace {

// The operations that have charts.
struct Charted {
  std::string_view operation;
  std::string_view title;
};
constexpr std::array<Charted, 7> kCharted{{{"keygen", "Key generation"},
                                           {"encrypt_dense", "Encryption of one bit"},
                                           {"encrypt_sparse", "Sparse encryption of one bit"},
                                           {"decrypt", "Decryption of one bit"},
                                           {"mult", "AND gate without refresh"},
                                           {"recrypt", "Recryption"},
                                           {"recrypt_per_slot", "Recryption of each slot"}}};

bool has_bars(const BarSeries& series) {
  return std::ranges::any_of(series.bars, [](const auto& bar) { return bar.has_value(); });
}

BarSeries measured_series(const Study& study, const std::string& label, std::size_t number,
                          std::string_view operation) {
  BarSeries series{label, backend_style(number), {}};
  for (const std::string& group : study.groups()) {
    const Record* const record = study.find(group, label, operation);
    if (record == nullptr) {
      series.bars.emplace_back();
      continue;
    }
    const std::string time = duration(record->seconds);
    series.bars.emplace_back(
        Bar{record->seconds, time, fmt::format("{} on {}: {}", group, label, time)});
  }
  return series;
}

BarSeries published_series(const Study& study, Platform platform, std::string_view operation) {
  BarSeries series{platform_title(platform), platform_style(platform), {}};
  for (const std::string& group : study.groups()) {
    const auto time = fastest_published(group, operation, platform);
    if (!time) {
      series.bars.emplace_back();
      continue;
    }
    const std::string text = published_text(*time);
    series.bars.emplace_back(Bar{time->seconds, text,
                                 fmt::format("{} on {}: {} ({})", group, time->origin.system, text,
                                             source_text(time->origin))});
  }
  return series;
}

// The chart of an operation; none when it was not measured.
std::optional<Figure> chart_of(const Study& study, const Charted& charted) {
  BarChart chart{.text = {std::string(charted.title),
                          "By group: this machine beside the fastest published figure of every "
                          "kind, on a logarithmic axis"},
                 .axis = {"time, logarithmic", Scale::logarithmic, duration},
                 .groups = study.groups(),
                 .series = {}};
  const std::vector<std::string> labels = study.labels();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    chart.series.push_back(measured_series(study, labels[i], i, charted.operation));
  }
  if (std::ranges::none_of(chart.series, has_bars)) return std::nullopt;
  for (const Platform platform : kPlatforms) {
    chart.series.push_back(published_series(study, platform, charted.operation));
  }
  std::erase_if(chart.series, [](const BarSeries& series) { return !has_bars(series); });
  return Figure{draw(chart)};
}

// How much faster the first backend is than the reference; nothing where one was not measured.
std::optional<double> speed_up(const Study& study, const std::string& group,
                               const std::string& label, const std::string& reference,
                               std::string_view operation) {
  const Record* const ours = study.find(group, label, operation);
  const Record* const theirs = study.find(group, reference, operation);
  if (ours == nullptr || theirs == nullptr) return std::nullopt;
  return theirs->seconds / ours->seconds;
}

// The first backend against the reference, where that is another one.
std::optional<Figure> ratio_chart(const Study& study) {
  const std::string label = study.labels().front();
  const auto reference = reference_label(study);
  if (!reference || *reference == label) return std::nullopt;
  BarChart chart{.text = {fmt::format("Times as fast as {}", *reference),
                          fmt::format("How many times as fast {} is as {} on the same machine, by "
                                      "group and operation",
                                      label, *reference)},
                 .axis = {"times as fast", Scale::linear, whole_times},
                 .groups = study.groups(),
                 .series = {}};
  for (const Charted& charted : kCharted) {
    BarSeries series{operation_title(charted.operation), chart.series.size(), {}};
    for (const std::string& group : chart.groups) {
      const auto ratio = speed_up(study, group, label, *reference, charted.operation);
      series.bars.emplace_back();
      if (!ratio) continue;
      series.bars.back() =
          Bar{*ratio, times(*ratio), fmt::format("{}, {}: {}", group, series.name, times(*ratio))};
    }
    if (has_bars(series)) chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return std::nullopt;
  return Figure{draw(chart)};
}

Gallery charts_of(const Study& study) {
  Gallery gallery;
  for (const Charted& charted : kCharted) {
    if (auto figure = chart_of(study, charted)) gallery.figures.push_back(std::move(*figure));
  }
  if (auto figure = ratio_chart(study)) gallery.figures.push_back(std::move(*figure));
  return gallery;
}

// The operations of a group in the order of its runs.
std::vector<std::string> operations_in(const Study& study, const std::string& group) {
  std::vector<std::string> operations;
  for (const Run& run : study.runs) {
    if (run.group != group) continue;
    for (const Record& record : run.records) {
      if (std::ranges::find(operations, record.operation) == operations.end()) {
        operations.push_back(record.operation);
      }
    }
  }
  return operations;
}

Cell time_cell(const Record* record, bool strong) {
  return record == nullptr ? Cell("") : Cell(duration(record->seconds), strong);
}

// One row for a group: the first backend's times, and how they compare with the reference's.
Table overview(const Study& study) {
  const std::string label = study.labels().front();
  const auto reference = reference_label(study);
  const bool compared = reference && *reference != label;
  Table table{
      .caption =
          compared ? fmt::format("{}, and how many times as fast as {}", label, *reference) : label,
      .columns = {"group"},
      .rows = {}};
  for (const Charted& charted : kCharted) {
    table.columns.push_back(operation_title(charted.operation));
  }
  for (const std::string& group : study.groups()) {
    std::vector<Cell> row{group};
    for (const Charted& charted : kCharted) {
      Cell cell = time_cell(study.find(group, label, charted.operation), false);
      if (compared) {
        const auto ratio = speed_up(study, group, label, *reference, charted.operation);
        if (ratio) cell.text += fmt::format(" ({})", times(*ratio));
      }
      row.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// What the columns of a group's table hold beside the times of the backends.
struct Columns {
  std::vector<std::string> labels;
  bool lacks_card;                       // whether none of these is a GPU: it has an empty column
  std::optional<std::string> reference;  // when it is not the first label
  std::vector<Platform> platforms;       // of which something is published for the group
  bool hardware;                         // whether something can be computed from cycles
};

// The backend of GPUs, but not its kernels on the processor.
bool is_card(std::string_view label) {
  return label.starts_with("gpu") && !label.starts_with("gpu:host");
}

Columns columns_of(const Study& study, const std::string& group,
                   const std::vector<std::string>& operations) {
  Columns columns{.labels = {},
                  .lacks_card = true,
                  .reference = reference_label(study),
                  .platforms = {},
                  .hardware = false};
  for (std::string& label : study.labels()) {
    if (study.find(group, label) != nullptr) columns.labels.push_back(std::move(label));
  }
  columns.lacks_card = std::ranges::none_of(columns.labels, is_card);
  if (columns.reference && (columns.reference == columns.labels.front() ||
                            study.find(group, *columns.reference) == nullptr)) {
    columns.reference.reset();
  }
  for (const Platform platform : kPlatforms) {
    if (std::ranges::any_of(operations, [&](const std::string& operation) {
          return fastest_published(group, operation, platform).has_value();
        })) {
      columns.platforms.push_back(platform);
    }
  }
  columns.hardware = std::ranges::any_of(operations, [&](const std::string& operation) {
    return hardware_seconds(group, operation).has_value();
  });
  return columns;
}

std::vector<std::string> titles_of(const Columns& columns) {
  std::vector<std::string> titles{"operation"};
  titles.insert(titles.end(), columns.labels.begin(), columns.labels.end());
  if (columns.lacks_card) titles.emplace_back("gpu");
  if (columns.reference) {
    titles.push_back(fmt::format("{} against {}", columns.labels.front(), *columns.reference));
  }
  for (const Platform platform : columns.platforms) titles.push_back(platform_title(platform));
  if (columns.hardware) titles.emplace_back("FPGA, from cycles");
  return titles;
}

std::vector<Cell> operation_row(const Study& study, const std::string& group,
                                const std::string& operation, const Columns& columns) {
  std::vector<Cell> row{operation_title(operation)};
  for (const std::string& label : columns.labels) {
    row.push_back(time_cell(study.find(group, label, operation), label == columns.labels.front()));
  }
  if (columns.lacks_card) row.emplace_back("not measured");
  if (columns.reference) {
    const auto ratio =
        speed_up(study, group, columns.labels.front(), *columns.reference, operation);
    row.emplace_back(ratio ? times(*ratio) : "");
  }
  for (const Platform platform : columns.platforms) {
    const auto time = fastest_published(group, operation, platform);
    row.emplace_back(time ? published_text(*time) : "");
  }
  if (columns.hardware) {
    const auto seconds = hardware_seconds(group, operation);
    row.emplace_back(seconds ? duration(*seconds) : "");
  }
  return row;
}

std::vector<Cell> memory_row(const Study& study, const std::string& group, const Columns& columns,
                             std::size_t cells) {
  std::vector<Cell> row{"peak memory"};
  for (const std::string& label : columns.labels) {
    std::uint64_t peak = 0;
    for (const Record& record : study.find(group, label)->records) {
      peak = std::max(peak, record.peak_memory_bytes);
    }
    row.emplace_back(data_size(static_cast<double>(peak)));
  }
  row.resize(cells);
  return row;
}

Table group_table(const Study& study, const std::string& group) {
  const std::vector<std::string> operations = operations_in(study, group);
  const Columns columns = columns_of(study, group, operations);
  Table table{.caption = group, .columns = titles_of(columns), .rows = {}};
  for (const std::string& operation : operations) {
    table.rows.push_back(operation_row(study, group, operation, columns));
  }
  table.rows.push_back(memory_row(study, group, columns, table.columns.size()));
  return table;
}

}  // namespace

Section operations_section(const Study& study) {
  Section section{"Operations", {}};
  const std::vector<std::string> groups = study.groups();
  if (groups.empty()) return section;
  section.parts.emplace_back(overview(study));
  section.parts.emplace_back(charts_of(study));
  section.parts.emplace_back(
      Paragraph{"Published times are the fastest of their kind; the last section names all of "
                "them. \"From cycles\" is computed from the published cycle counts and clocks."});
  for (const std::string& group : groups) section.parts.emplace_back(group_table(study, group));
  return section;
}

}  // namespace fhe::bench
