// fhe-bench: measures the operations of one parameter group, or the products, of one backend.
#include <cstdio>
#include <map>
#include <regex>

#include <CLI/CLI.hpp>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "apps/bench/bars.hpp"
#include "apps/bench/counts/table.hpp"
#include "apps/bench/machine.hpp"
#include "apps/bench/operations.hpp"
#include "apps/bench/polynomials/comparison.hpp"
#include "apps/bench/report.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/error.hpp"

namespace {

using fhe::bench::Operation;
using fhe::bench::Record;

struct Options {
  std::string group = "cnt-toy";
  std::string backend{fhe::default_backend_name()};
  std::size_t threads = 0;
  double min_seconds = 0.5;
  std::string filter = ".*";
  std::string json;
};

// The names of the counters that a benchmark hands to the reporter.
constexpr const char* kMultiplications = "multiplications";
constexpr const char* kLimbProducts = "limb_products";
constexpr const char* kReductions = "reductions";
constexpr const char* kStreamBytes = "stream_bytes";
constexpr const char* kPeakMemory = "peak_memory_bytes";

void measure(benchmark::State& state, const Operation& operation, const fhe::Backend& backend) {
  const fhe::ThreadLimit limit(operation.threads);
  operation.prepare();
  fhe::bench::reset_peak_memory();
  const fhe::OperationCounts before = backend.counts();
  for ([[maybe_unused]] auto iteration : state) operation.run();
  const fhe::OperationCounts done = backend.counts() - before;
  const double count =
      static_cast<double>(state.iterations()) * static_cast<double>(operation.per_run);
  state.counters[kMultiplications] = static_cast<double>(done.multiplications) / count;
  state.counters[kLimbProducts] = static_cast<double>(done.limb_products) / count;
  state.counters[kReductions] = static_cast<double>(done.reductions) / count;
  state.counters[kStreamBytes] = static_cast<double>(done.stream_bytes) / count;
  state.counters[kPeakMemory] = static_cast<double>(fhe::bench::peak_memory_bytes());
}

// Turns finished runs into records and says on standard error what is being measured.
class Collector final : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(const std::vector<Operation>& operations) {
    for (const Operation& operation : operations) operations_.emplace(operation.name, &operation);
  }

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) records_.push_back(record_of(run));
    fmt::print(stderr, "{}: {:.4g} s\n", records_.back().operation, records_.back().seconds);
  }

  [[nodiscard]] std::vector<Record> records() const { return records_; }

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
            .peak_memory_bytes = static_cast<std::uint64_t>(run.counters.at(kPeakMemory).value)};
  }

  std::map<std::string, const Operation*> operations_;
  std::vector<Record> records_;
};

std::vector<Operation> chosen(std::vector<Operation> operations, const std::string& filter) {
  const std::regex wanted(filter);
  std::erase_if(operations, [&](const Operation& o) { return !std::regex_search(o.name, wanted); });
  if (operations.empty()) {
    throw fhe::Error(fhe::ErrorCode::invalid_argument,
                     fmt::format("no operation matches --filter '{}'", filter));
  }
  return operations;
}

// `subject` is what is measured: the name of a group, or "engine".
void measure_all(const Options& options, const std::string& subject, const fhe::BackendPtr& backend,
                 const std::vector<Operation>& operations) {
  for (const Operation& operation : operations) {
    benchmark::RegisterBenchmark(
        operation.name.c_str(),
        [&operation, &backend](benchmark::State& state) { measure(state, operation, *backend); })
        ->UseRealTime()
        ->MeasureProcessCPUTime()
        ->MinTime(options.min_seconds);
  }
  Collector collector(operations);
  benchmark::RunSpecifiedBenchmarks(&collector, ".*");

  fhe::bench::Report report{.machine = fhe::bench::this_machine(),
                            .group = subject,
                            .backend = backend->info().name,
                            .backend_description = backend->info().description,
                            .threads = fhe::thread_count(),
                            .records = collector.records(),
                            .bars = {}};
  report.bars = fhe::bench::bars_of(report);
  if (options.json != "-") fhe::bench::print_table(report);
  if (!options.json.empty()) fhe::bench::write_json(report, options.json);
}

void run(const Options& options, bool engine) {
  const fhe::ThreadLimit limit(options.threads);
  const fhe::BackendPtr backend = fhe::open_backend(options.backend);
  if (engine) {
    measure_all(options, "engine", backend,
                chosen(fhe::bench::engine_operations(backend), options.filter));
    return;
  }
  const auto group = fhe::ParameterSet::resolve(options.group);
  measure_all(options, group.name(), backend,
              chosen(fhe::bench::operations_of(group, backend), options.filter));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures what the operations of a parameter group cost on a backend.");
  app.add_option("--params", options.group, "parameter group, by name or as a TOML file")
      ->capture_default_str();
  app.add_option("--backend", options.backend, "arithmetic backend")->capture_default_str();
  app.add_option("--threads", options.threads, "threads to use; 0: as many as there are")
      ->capture_default_str();
  app.add_option("--min-time", options.min_seconds, "seconds to repeat short operations for")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--filter", options.filter, "regular expression: only matching operations")
      ->capture_default_str();
  app.add_option("--json", options.json, "write the results as JSON to this file, '-': to stdout");
  const CLI::App* const engine =
      app.add_subcommand("engine", "Measure products, squares and modular products against GMP")
          ->fallthrough();
  const CLI::App* const counts = app.add_subcommand(
      "counts", "Count the word operations of a modular product of 786,432 bits by three methods");
  const CLI::App* const polynomials =
      app.add_subcommand("polynomials", "Measure products of polynomials against FLINT's Karatsuba")
          ->fallthrough();
  app.footer("Example: fhe-bench --params cnt-small --filter 'encrypt|recrypt' --json small.json");
  CLI11_PARSE(app, argc, argv);
  try {
    if (counts->parsed()) {
      fhe::bench::print_operation_counts();
      return 0;
    }
    if (polynomials->parsed()) {
      const fhe::ThreadLimit limit(options.threads);
      fhe::bench::print_polynomial_products(fhe::open_backend(options.backend),
                                            options.min_seconds);
      return 0;
    }
    run(options, engine->parsed());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fhe-bench: error: {}\n", error.what());
    return 1;
  }
}
