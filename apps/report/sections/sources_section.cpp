// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "apps/report/sections/sections.hpp"
#include "apps/report/sections/vocabulary.hpp"
#include "apps/study/format.hpp"

namespace fhe::bench {

namespace {

Table run_table(const Study& study) {
  Table table{
      .caption = "Runs",
      .columns = {"group", "backend", "machine", "compiler", "date (UTC)", "threads", "operations"},
      .rows = {},
      .text_columns = 5};
  for (const Run& run : study.runs) {
    table.rows.push_back({group_title(run.group),
                          fmt::format("{}: {}", run.backend, run.backend_description),
                          fmt::format("{}, {} cores", run.machine.processor, run.machine.cores),
                          run.machine.compiler, date_and_time(run.machine.date),
                          std::to_string(run.threads), std::to_string(run.records.size())});
  }
  return table;
}

// All published times of the groups of the study.
Table published_table(const Study& study) {
  Table table{.caption = "Published times",
              .columns = {"group", "operation", "system", "source", "time"},
              .rows = {},
              .text_columns = 4};
  for (const std::string& group : study.groups()) {
    for (const PublishedTime& time : published().times) {
      if (time.group != published_group(group)) continue;
      table.rows.push_back({group, operation_title(time.operation), time.origin.system,
                            source_text(time.origin), published_text(time)});
    }
  }
  return table;
}

Table paper_table() {
  Table table{
      .caption = "Papers", .columns = {"name here", "paper"}, .rows = {}, .text_columns = 2};
  for (const Paper& paper : published().papers) {
    table.rows.push_back({paper.short_name, paper.title});
  }
  return table;
}

}  // namespace

Section sources_section(const Study& study) {
  Section section{"Runs and sources", {}};
  section.parts.emplace_back(
      Paragraph{"Times are by the clock, for one operation, averaged over repetitions by Google "
                "Benchmark. A ~ marks published figures that are known from the literature but "
                "were not checked against the page."});
  section.parts.emplace_back(run_table(study));
  Table published = published_table(study);
  if (!published.rows.empty()) section.parts.emplace_back(std::move(published));
  section.parts.emplace_back(paper_table());
  return section;
}

}  // namespace fhe::bench
