#include "apps/bench/report.hpp"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/bench/published.hpp"
#include "libfhe/error.hpp"
#include "libfhe/wire/atomic_file.hpp"

namespace fhe::bench {

namespace {

using nlohmann::json;

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

// The operation that the ratio of a record is taken against: in most cases plain GMP in the same
// run.
const Record* baseline_of(const Report& report, const Record& record) {
  return record.baseline.empty() ? nullptr : find_record(report, record.baseline);
}

std::string baseline_name(const Record& record) {
  return record.baseline.starts_with("gmp_") ? "gmp" : record.baseline;
}

void print_ratio(const Report& report, const Record& record) {
  const Record* const baseline = baseline_of(report, record);
  if (baseline == nullptr) return;
  fmt::print("{:>40}  {:.2f} times as fast as {} in this run\n", "",
             baseline->seconds / record.seconds, baseline_name(record));
}

void print_published(const Report& report, const Record& record) {
  for (const PublishedFigure& figure : published_figures(report.group, record.operation)) {
    fmt::print("{:>40}  {}{} on {}: {:.1f} times as fast\n", "", figure.printed ? "" : "~",
               duration(figure.seconds), figure.system, figure.seconds / record.seconds);
  }
}

json published_json(const Report& report, const Record& record) {
  json figures = json::array();
  for (const PublishedFigure& figure : published_figures(report.group, record.operation)) {
    figures.push_back({{"seconds", figure.seconds},
                       {"system", figure.system},
                       {"source", figure.source},
                       {"confidence", figure.printed ? "printed" : "recalled"}});
  }
  return figures;
}

void print_bars(const Report& report) {
  if (report.bars.empty()) return;
  fmt::print("\nbars:\n");
  for (const BarResult& bar : report.bars) {
    fmt::print("{:>8}  {}: {:.2f}, bar {} {:.2f}\n", bar.reached() ? "reached" : "missed", bar.goal,
               bar.value, bar.at_least ? "at least" : "at most", bar.bound);
  }
}

json bars_json(const Report& report) {
  json bars = json::array();
  for (const BarResult& bar : report.bars) {
    bars.push_back({{"goal", bar.goal},
                    {bar.at_least ? "at_least" : "at_most", bar.bound},
                    {"value", bar.value},
                    {"reached", bar.reached()}});
  }
  return bars;
}

json record_json(const Report& report, const Record& record) {
  json object{{"operation", record.operation},
              {"unit", record.unit},
              {"seconds", record.seconds},
              {"cpu_seconds", record.cpu_seconds},
              {"iterations", record.iterations},
              {"multiplications", record.multiplications},
              {"limb_products", record.limb_products},
              {"reductions", record.reductions},
              {"stream_bytes", record.stream_bytes},
              {"peak_memory_bytes", record.peak_memory_bytes},
              {"published", published_json(report, record)}};
  if (const Record* const baseline = baseline_of(report, record)) {
    object["times_as_fast_as_" + baseline_name(record)] = baseline->seconds / record.seconds;
  }
  return object;
}

json report_json(const Report& report) {
  json results = json::array();
  for (const Record& record : report.records) results.push_back(record_json(report, record));
  return {{"format", "fhe-bench 1"},
          {"machine",
           {{"processor", report.machine.processor},
            {"cores", report.machine.cores},
            {"compiler", report.machine.compiler}}},
          {"date", report.machine.date},
          {"group", report.group},
          {"backend", report.backend},
          {"backend_description", report.backend_description},
          {"threads", report.threads},
          {"results", std::move(results)},
          {"bars", bars_json(report)}};
}

}  // namespace

const Record* find_record(const Report& report, std::string_view operation) {
  const auto found = std::ranges::find(report.records, operation, &Record::operation);
  return found == report.records.end() ? nullptr : &*found;
}

void print_table(const Report& report) {
  fmt::print("{} on {} ({}), {} threads\n{}, {} cores, {}, {}\n\n", report.group, report.backend,
             report.backend_description, report.threads, report.machine.processor,
             report.machine.cores, report.machine.compiler, report.machine.date);
  fmt::print("{:>40}  {:>11} {:>11} {:>10} {:>10} {:>11} {:>9}\n", "operation", "time", "cpu time",
             "products", "reductions", "stream", "peak");
  for (const Record& record : report.records) {
    fmt::print("{:>40}  {:>11} {:>11} {:>10.0f} {:>10.0f} {:>8.1f} MB {:>6.0f} MB  {}\n",
               record.operation, duration(record.seconds), duration(record.cpu_seconds),
               record.multiplications, record.reductions, record.stream_bytes / 1e6,
               static_cast<double>(record.peak_memory_bytes) / 1e6, record.unit);
    print_ratio(report, record);
    print_published(report, record);
  }
  print_bars(report);
  fmt::print("\n~ marks published figures that were not checked against the page.\n");
}

void write_json(const Report& report, const std::filesystem::path& path) {
  const std::string text = report_json(report).dump(2) + "\n";
  if (path == "-") {
    std::cout << text << std::flush;
    if (!std::cout) throw Error(ErrorCode::io, "cannot write the report to standard output");
    return;
  }
  AtomicFile file(path, FileAccess::everyone);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace fhe::bench
