// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/report/sections/sections.hpp"
#include "apps/report/sections/vocabulary.hpp"
#include "apps/study/format.hpp"

namespace fhe::bench {

namespace {

// On which machines, and when.
std::string where_and_when(const Study& study) {
  std::vector<std::string> machines;
  std::string first = study.runs.front().machine.date;
  std::string last = first;
  for (const Run& run : study.runs) {
    std::string machine = fmt::format("{}, {} cores, {}", run.machine.processor, run.machine.cores,
                                      run.machine.compiler);
    if (std::ranges::find(machines, machine) == machines.end()) {
      machines.push_back(std::move(machine));
    }
    first = std::min(first, run.machine.date);
    last = std::max(last, run.machine.date);
  }
  first = date_and_time(first);
  last = date_and_time(last);
  return fmt::format("Measured on {}; {} UTC.", fmt::join(machines, " and on "),
                     first == last ? first : fmt::format("{} to {}", first, last));
}

std::string what(const Study& study) {
  const std::vector<std::string> groups = study.groups();
  return fmt::format("{}Backends: {}.",
                     groups.empty() ? "" : fmt::format("Groups: {}. ", fmt::join(groups, ", ")),
                     fmt::join(study.labels(), ", "));
}

}  // namespace

Document document_of(const Study& study, const std::optional<Study>& before) {
  Document document{"What fhe costs", {}, {}};
  if (!study.runs.empty()) document.summary = {where_and_when(study), what(study)};
  document.sections = {operations_section(study), products_section(study), noise_section(study),
                       scaling_section(study), hardware_section(study)};
  if (before) document.sections.push_back(comparison_section(study, *before));
  document.sections.push_back(sources_section(study));
  std::erase_if(document.sections, [](const Section& section) { return section.parts.empty(); });
  return document;
}

}  // namespace fhe::bench
