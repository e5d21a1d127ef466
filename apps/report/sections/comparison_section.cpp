// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/report/sections/sections.hpp"
#include "apps/report/sections/vocabulary.hpp"
#include "apps/study/format.hpp"

namespace fhe::bench {

namespace {

constexpr double kNoticeable = 1.1;  // below that a change may be chance

// An operation that was measured before and now.
struct Change {
  const Run* run;
  const Record* before;
  const Record* now;

  [[nodiscard]] double ratio() const { return before->seconds / now->seconds; }
};

const Run* same_run(const Study& study, const Run& run) {
  const auto found = std::ranges::find_if(study.runs, [&](const Run& other) {
    return other.group == run.group && other.backend == run.backend && other.threads == run.threads;
  });
  return found == study.runs.end() ? nullptr : &*found;
}

std::vector<Change> changes_of(const Study& study, const Study& before) {
  std::vector<Change> changes;
  for (const Run& run : study.runs) {
    const Run* const old = same_run(before, run);
    if (old == nullptr) continue;
    for (const Record& record : run.records) {
      const Record* const old_record = find_record(*old, record.operation);
      if (old_record != nullptr) changes.push_back({&run, old_record, &record});
    }
  }
  return changes;
}

std::string verdict(double ratio) {
  if (ratio >= kNoticeable) return times(ratio) + " as fast";
  if (ratio <= 1 / kNoticeable) return times(1 / ratio) + " as slow";
  return "same";
}

// The geometric mean of the ratios of every run.
Figure chart_of(const Study& study, const std::vector<Change>& changes) {
  BarChart chart{.text = {"Times as fast as before",
                          "Geometric mean over the operations of each run; more than 1 is faster"},
                 .axis = {"times as fast as before", Scale::linear, whole_times},
                 .groups = {},
                 .series = {{"now", backend_style(0), {}}}};
  for (const Run& run : study.runs) {
    double logarithms = 0;
    double count = 0;
    for (const Change& change : changes) {
      if (change.run != &run) continue;
      logarithms += std::log(change.ratio());
      ++count;
    }
    if (count == 0) continue;
    const double mean = std::exp(logarithms / count);
    chart.groups.push_back(fmt::format("{} on {}", group_title(run.group), study.label(run)));
    chart.series[0].bars.emplace_back(
        Bar{mean, times(mean), fmt::format("{}: {}", chart.groups.back(), times(mean))});
  }
  return {draw(chart)};
}

Table table_of(const Study& study, const std::vector<Change>& changes) {
  Table table{.caption = "Operations before and now",
              .columns = {"group", "backend", "operation", "before", "now", "change"},
              .rows = {},
              .text_columns = 3};
  for (const Change& change : changes) {
    const std::string text = verdict(change.ratio());
    table.rows.push_back({group_title(change.run->group), study.label(*change.run),
                          operation_title(change.now->operation), duration(change.before->seconds),
                          duration(change.now->seconds), Cell(text, text != "same")});
  }
  return table;
}

}  // namespace

Section comparison_section(const Study& study, const Study& before) {
  Section section{"Compared with before", {}};
  const std::vector<Change> changes = changes_of(study, before);
  if (changes.empty()) {
    section.parts.emplace_back(
        Paragraph{"Nothing that was measured before was measured again: no run of the same group, "
                  "backend and number of threads has an operation in common."});
    return section;
  }
  const auto faster = std::ranges::count_if(
      changes, [](const Change& change) { return change.ratio() >= kNoticeable; });
  const auto slower = std::ranges::count_if(
      changes, [](const Change& change) { return change.ratio() <= 1 / kNoticeable; });
  section.parts.emplace_back(Paragraph{fmt::format(
      "Of {} operations {} are faster and {} slower by a factor of {} or more. Before: {}, {}.",
      changes.size(), faster, slower, kNoticeable, before.runs.front().machine.processor,
      date_and_time(before.runs.front().machine.date))});
  section.parts.emplace_back(Gallery{{chart_of(study, changes)}});
  section.parts.emplace_back(table_of(study, changes));
  return section;
}

}  // namespace fhe::bench
