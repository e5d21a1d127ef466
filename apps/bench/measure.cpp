// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/measure.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "apps/bench/device/encryption_clocks.hpp"
#include "apps/bench/duration.hpp"
#include "apps/bench/this_machine.hpp"
#include "apps/support/process_memory.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe::bench {

namespace {

// The names of the counters that a benchmark hands to the reporter.
constexpr const char* kMultiplications = "multiplications";
constexpr const char* kLimbProducts = "limb_products";
constexpr const char* kReductions = "reductions";
constexpr const char* kStreamBytes = "stream_bytes";
constexpr const char* kPeakMemory = "peak_memory_bytes";
constexpr const char* kDeviceClocks = "device_clocks";

std::optional<DeviceTime> device_time(double clocks) {
  if (clocks == 0) return std::nullopt;
  return DeviceTime{clocks, kDeviceHertz};
}

void measure_one(benchmark::State& state, const Operation& operation, const Backend& backend) {
  const ThreadLimit limit(operation.threads);
  operation.prepare();
  apps::reset_peak_memory();
  const OperationCounts before = backend.counts();
  for ([[maybe_unused]] auto iteration : state) operation.run();
  const OperationCounts done = backend.counts() - before;
  const double count =
      static_cast<double>(state.iterations()) * static_cast<double>(operation.per_run);
  state.counters[kMultiplications] = static_cast<double>(done.multiplications) / count;
  state.counters[kLimbProducts] = static_cast<double>(done.limb_products) / count;
  state.counters[kReductions] = static_cast<double>(done.reductions) / count;
  state.counters[kStreamBytes] = static_cast<double>(done.stream_bytes) / count;
  state.counters[kDeviceClocks] = static_cast<double>(done.device_clocks) / count;
  state.counters[kPeakMemory] = static_cast<double>(apps::peak_memory_bytes());
}

// Adds a record to a run for every benchmark that has finished, and has the run kept.
class Collector final : public benchmark::BenchmarkReporter {
 public:
  Collector(const std::vector<Operation>& operations, bench::Run& measured,
            const std::function<void(const bench::Run&)>& keep)
      : measured_(measured), keep_(keep) {
    for (const Operation& operation : operations) operations_.emplace(operation.name, &operation);
  }

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) measured_.records.push_back(record_of(run));
    keep_(measured_);
    const Record& last = measured_.records.back();
    fmt::print(stderr, "{:>40}  {}\n", last.operation, duration(last.seconds));
  }

 private:
  [[nodiscard]] Record record_of(const Run& run) const {
    const Operation& operation = *operations_.at(run.run_name.function_name);
    const double count =
        static_cast<double>(run.iterations) * static_cast<double>(operation.per_run);
    return {.operation = operation.name,
            .unit = operation.unit,
            .baseline = operation.baseline,
            .seconds = run.real_accumulated_time / count,
            .cpu_seconds = run.cpu_accumulated_time / count,
            .iterations = run.iterations,
            .multiplications = run.counters.at(kMultiplications),
            .limb_products = run.counters.at(kLimbProducts),
            .reductions = run.counters.at(kReductions),
            .stream_bytes = run.counters.at(kStreamBytes),
            .peak_memory_bytes = static_cast<std::uint64_t>(run.counters.at(kPeakMemory).value),
            .device = device_time(run.counters.at(kDeviceClocks))};
  }

  std::map<std::string, const Operation*> operations_;
  bench::Run& measured_;
  const std::function<void(const bench::Run&)>& keep_;
};

}  // namespace

Run measure(const Subject& subject, const Backend& backend,
            const std::vector<Operation>& operations, double min_seconds,
            const std::function<void(const Run&)>& keep) {
  constexpr double kLeastSeconds = 1e-9;  // Google Benchmark takes no 0
  benchmark::ClearRegisteredBenchmarks();
  for (const Operation& operation : operations) {
    benchmark::RegisterBenchmark(
        operation.name.c_str(),
        [&](benchmark::State& state) { measure_one(state, operation, backend); })
        ->UseRealTime()
        ->MeasureProcessCPUTime()
        ->MinTime(std::max(min_seconds, kLeastSeconds));
  }
  Run run{.machine = this_machine(),
          .group = subject.group,
          .backend = subject.backend,
          .backend_description = backend.info().description,
          .threads = thread_count(),
          .records = {}};
  Collector collector(operations, run, keep);
  benchmark::RunSpecifiedBenchmarks(&collector, ".*");
  return run;
}

}  // namespace fhe::bench
