// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/run_table.hpp"

#include <string>

#include <fmt/format.h>

#include "apps/bench/duration.hpp"

namespace fhe::bench {

namespace {

// In most cases plain GMP in the same run.
std::string baseline_name(const Record& record) {
  return record.baseline.starts_with("gmp_") ? "GMP" : record.baseline;
}

void print_device(const Record& record) {
  if (!record.device) return;
  fmt::print("{:>40}  {:.0f} device clocks, {} at {:.2f} MHz\n", "", record.device->cycles,
             duration(record.device->seconds()), record.device->hertz / 1e6);
}

void print_ratio(const Run& run, const Record& record) {
  const auto ratio = run.times_as_fast(record);
  if (!ratio) return;
  fmt::print("{:>40}  {:.2f} times as fast as {} in this run\n", "", *ratio, baseline_name(record));
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
  }
}

}  // namespace fhe::bench
