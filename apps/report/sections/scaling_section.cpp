// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "apps/report/sections/sections.hpp"
#include "apps/study/format.hpp"

namespace fhe::bench {

namespace {

std::string percent(double part) {
  return fmt::format("{:.1f} %", 100 * part);
}

std::string percent_label(double value) {
  return fmt::format("{:.0f} %", value);
}

std::string worker_count(double workers) {
  return fmt::format("{:.0f}", workers);
}

std::string introduction(const Scaling& scaling) {
  return fmt::format(
      "Under a key of {} a recryption takes {}, a product {} and a sum {}. Each circuit is a graph "
      "of such tasks. List scheduling is what could be reached at best by who always has the next "
      "task at hand; the executor was run on tasks that sleep as long as they would take, so that "
      "a machine of few cores can try many workers.",
      scaling.group, duration(scaling.recryption_seconds), duration(scaling.product_seconds),
      duration(scaling.sum_seconds));
}

Point used_point(const CircuitScaling& circuit, const WorkersTime& time, double seconds) {
  const double used = circuit.used(time.workers, seconds);
  return {static_cast<double>(time.workers), 100 * used,
          fmt::format("{}: {} workers take {} and are used to {}", circuit.circuit, time.workers,
                      duration(seconds), percent(used))};
}

Figure used_chart(const Scaling& scaling) {
  LineChart chart{.text = {fmt::format("How much of many workers is used, {}", scaling.group),
                           "Part of the workers' time that is spent on tasks: lines by list "
                           "scheduling, marks without lines measured with tasks that sleep"},
                  .x = {"workers, logarithmic", Scale::logarithmic, worker_count},
                  .y = {"used", Scale::linear, percent_label},
                  .series = {}};
  for (std::size_t i = 0; i < scaling.circuits.size(); ++i) {
    const CircuitScaling& circuit = scaling.circuits[i];
    PointSeries scheduled{circuit.circuit, i, true, {}};
    PointSeries slept{fmt::format("{}, measured", circuit.circuit), i, false, {}};
    for (const WorkersTime& time : circuit.times) {
      scheduled.points.push_back(used_point(circuit, time, time.scheduled_seconds));
      if (!time.slept_seconds) continue;
      slept.points.push_back(used_point(circuit, time, *time.slept_seconds));
    }
    chart.series.push_back(std::move(scheduled));
    if (!slept.points.empty()) chart.series.push_back(std::move(slept));
  }
  return {draw(chart)};
}

Table workers_table(const Scaling& scaling, const CircuitScaling& circuit) {
  Table table{
      .caption = fmt::format("{} under {}: {} recryptions, {} of work, of which the longest chain "
                             "takes {}",
                             circuit.circuit, scaling.group, grouped(circuit.recryptions),
                             duration(circuit.total_seconds), duration(circuit.chain_seconds)),
      .columns = {"workers", "list scheduling", "used by it", "tasks that sleep", "used by them",
                  "of list scheduling", "between machines of 16"},
      .rows = {}};
  for (const WorkersTime& time : circuit.times) {
    const auto& slept = time.slept_seconds;
    table.rows.push_back(
        {grouped(time.workers), duration(time.scheduled_seconds),
         percent(circuit.used(time.workers, time.scheduled_seconds)), slept ? duration(*slept) : "",
         slept ? Cell(percent(circuit.used(time.workers, *slept)), true) : Cell(),
         slept ? percent(time.scheduled_seconds / *slept) : "",
         time.moved_bytes > 0 ? data_size(static_cast<double>(time.moved_bytes)) : ""});
  }
  return table;
}

}  // namespace

Section scaling_section(const Study& study) {
  Section section{"Circuits on many workers", {}};
  for (const Scaling& scaling : study.scalings) {
    section.parts.emplace_back(Paragraph{introduction(scaling)});
    section.parts.emplace_back(Gallery{{used_chart(scaling)}});
    for (const CircuitScaling& circuit : scaling.circuits) {
      section.parts.emplace_back(workers_table(scaling, circuit));
    }
  }
  return section;
}

}  // namespace fhe::bench
