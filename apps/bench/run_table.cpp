// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/run_table.hpp"

#include <string>

#include <fmt/format.h>

#include "apps/study/bars.hpp"
#include "apps/study/format.hpp"
#include "apps/study/published.hpp"

namespace fhe::bench {

namespace {

// In most cases plain GMP in the same run.
std::string baseline_name(const Record& record) {
  return record.baseline.starts_with("gmp_") ? "GMP" : record.baseline;
}

// What a device took, at the clock that its papers state.
double device_seconds(const Record& record) {
  return record.device->cycles / record.device->hertz;
}

void print_device(const Record& record) {
  if (!record.device) return;
  fmt::print("{:>40}  {:.0f} device clocks, {} at {:.2f} MHz\n", "", record.device->cycles,
             duration(device_seconds(record)), record.device->hertz / 1e6);
}

void print_ratio(const Run& run, const Record& record) {
  const Record* const baseline =
      record.baseline.empty() ? nullptr : find_record(run, record.baseline);
  if (baseline == nullptr) return;
  fmt::print("{:>40}  {:.2f} times as fast as {} in this run\n", "",
             baseline->seconds / record.seconds, baseline_name(record));
}

void print_published(const Run& run, const Record& record) {
  for (const PublishedTime& time : published_times(run.group, record.operation)) {
    const double seconds = record.device ? device_seconds(record) : record.seconds;
    fmt::print("{:>40}  {}{} on {}: {:.2f} times as fast\n", "", time.origin.recalled ? "~" : "",
               duration(time.seconds), time.origin.system, time.seconds / seconds);
  }
}

void print_bars(const Run& run) {
  const std::vector<BarResult> bars = bars_of(run);
  if (bars.empty()) return;
  fmt::print("\nbars:\n");
  for (const BarResult& bar : bars) {
    fmt::print("{:>8}  {}: {:.2f}, bar {} {:.2f}\n", bar.reached() ? "reached" : "missed", bar.goal,
               bar.value, bar.at_least ? "at least" : "at most", bar.bound);
  }
}

}  // namespace

void print_table(const Run& run) {
  fmt::print("{} on {} ({}), {} threads\n{}, {} cores, {}, {}\n\n", run.group, run.backend,
             run.backend_description, run.threads, run.machine.processor, run.machine.cores,
             run.machine.compiler, run.machine.date);
  fmt::print("{:>40}  {:>11} {:>11} {:>10} {:>10} {:>11} {:>9}\n", "operation", "time", "cpu time",
             "products", "reductions", "stream", "peak");
  for (const Record& record : run.records) {
    fmt::print("{:>40}  {:>11} {:>11} {:>10.0f} {:>10.0f} {:>8.1f} MB {:>6.0f} MB  {}\n",
               record.operation, duration(record.seconds), duration(record.cpu_seconds),
               record.multiplications, record.reductions, record.stream_bytes / 1e6,
               static_cast<double>(record.peak_memory_bytes) / 1e6, record.unit);
    print_device(record);
    print_ratio(run, record);
    print_published(run, record);
  }
  print_bars(run);
  fmt::print("\n~ marks published figures that were not checked against the page.\n");
}

}  // namespace fhe::bench
