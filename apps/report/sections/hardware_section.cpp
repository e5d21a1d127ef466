// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "apps/report/sections/sections.hpp"
#include "apps/report/sections/vocabulary.hpp"
#include "apps/study/format.hpp"

namespace fhe::bench {

namespace {

std::string cycles_text(double cycles, double hertz) {
  const std::string count = grouped(static_cast<std::uint64_t>(cycles));
  return hertz > 0 ? fmt::format("{} ({})", count, duration(Cycles{cycles, hertz}.seconds()))
                   : count;
}

// What the paper prints for the encryption that is computed: the same operation, paper and group.
std::string printed_text(const HardwareEncryption& encryption) {
  for (const PublishedTime& time : published_times(encryption.group, encryption.operation)) {
    const bool same_paper = time.origin.paper.title == encryption.origin.paper.title;
    if (same_paper && time.origin.platform == Platform::fpga) return published_text(time);
  }
  return "";
}

Table encryption_table(const Study& study) {
  const std::vector<std::string> labels = study.labels();
  Table table{
      .caption = "Encryption of one bit of CNT, from published cycles",
      .columns = {"operation", "products on", "reduction on", "group", "from cycles", "printed"},
      .rows = {},
      .text_columns = 4};
  for (const std::string& label : labels) table.columns.push_back(fmt::format("{} here", label));
  for (const HardwareEncryption& encryption : published().encryptions) {
    std::vector<Cell> row{operation_title(encryption.operation),
                          fmt::format("{:.0f} x {}", encryption.products, encryption.product->name),
                          fmt::format("2 x {}", encryption.reduction->name),
                          encryption.group,
                          duration(encryption.seconds()),
                          printed_text(encryption)};
    for (const std::string& label : labels) {
      const Record* const record = study.find(encryption.group, label, encryption.operation);
      row.emplace_back(record == nullptr ? "" : duration(record->seconds));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table product_table() {
  constexpr std::array<std::string_view, 4> kGroups{"cnt-toy", "cnt-small", "cnt-medium",
                                                    "cnt-large"};
  Table table{.caption = "One product of an encryption in cycles (and time at the published clock)",
              .columns = {"design"},
              .rows = {}};
  table.columns.insert(table.columns.end(), kGroups.begin(), kGroups.end());
  for (const HardwareDesign& design : published().designs) {
    if (design.product_cycles.empty()) continue;
    std::vector<Cell> row{design.name};
    for (const std::string_view group : kGroups) {
      const auto cycles = design.product_cycles.find(std::string(group));
      const bool known = cycles != design.product_cycles.end();
      row.emplace_back(known ? cycles_text(cycles->second, design.hertz) : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table design_table() {
  Table table{.caption = "Published designs",
              .columns = {"design", "device", "cost", "source", "clock"},
              .rows = {},
              .text_columns = 4};
  for (const HardwareDesign& design : published().designs) {
    table.rows.push_back({design.name, design.origin.system, design.cost,
                          source_text(design.origin), frequency(design.hertz)});
  }
  return table;
}

Table speedup_table() {
  Table table{.caption = "Published speed-ups of other products",
              .columns = {"product", "device", "against", "source", "times as fast"},
              .rows = {},
              .text_columns = 4};
  for (const PublishedSpeedup& speedup : published().speedups) {
    table.rows.push_back(
        {speedup.what, speedup.origin.system, speedup.over, source_text(speedup.origin),
         fmt::format("{} to {}", whole_times(speedup.lowest), whole_times(speedup.highest))});
  }
  return table;
}

// What devices of this study, or their simulations, said that operations took.
Table device_table(const Study& study) {
  Table table{.caption = "Devices of this report",
              .columns = {"group", "backend", "operation", "cycles", "clock", "time on the device",
                          "time here"},
              .rows = {},
              .text_columns = 3};
  for (const Run& run : study.runs) {
    for (const Record& record : run.records) {
      if (!record.device) continue;
      const auto& [cycles, hertz] = *record.device;
      table.rows.push_back(
          {group_title(run.group), study.label(run), operation_title(record.operation),
           grouped(static_cast<std::uint64_t>(cycles)), hertz > 0 ? frequency(hertz) : "",
           hertz > 0 ? duration(Cycles{cycles, hertz}.seconds()) : "", duration(record.seconds)});
    }
  }
  return table;
}

}  // namespace

Section hardware_section(const Study& study) {
  Section section{"Hardware", {}};
  Table devices = device_table(study);
  if (!devices.rows.empty()) section.parts.emplace_back(std::move(devices));
  section.parts.emplace_back(Paragraph{
      "What the published designs take by their own cycle counts and clocks. Encryption is so many "
      "products and then two more for the reduction modulo x0, as the paper computes it."});
  section.parts.emplace_back(encryption_table(study));
  section.parts.emplace_back(product_table());
  section.parts.emplace_back(design_table());
  section.parts.emplace_back(speedup_table());
  return section;
}

}  // namespace fhe::bench
