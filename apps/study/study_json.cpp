// SPDX-License-Identifier: Apache-2.0
#include "apps/study/study_json.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/study/bars.hpp"
#include "apps/study/published.hpp"
#include "libfhe/error.hpp"
#include "libfhe/storage/atomic_file.hpp"

namespace fhe::bench {

namespace {

using nlohmann::json;

constexpr std::string_view kRunFormat = "fhe-bench 1";
constexpr std::string_view kScaleFormat = "fhe-bench scale 1";
constexpr std::string_view kStudyFormat = "fhe-bench report 1";

json published_json(const Run& run, const Record& record) {
  json times = json::array();
  for (const PublishedTime& time : published_times(run.group, record.operation)) {
    times.push_back({{"seconds", time.seconds},
                     {"system", time.origin.system},
                     {"source", fmt::format("{}, {}", time.origin.paper.title, time.origin.where)},
                     {"confidence", time.origin.recalled ? "recalled" : "printed"}});
  }
  return times;
}

json bars_json(const Run& run) {
  json bars = json::array();
  for (const BarResult& bar : bars_of(run)) {
    bars.push_back({{"goal", bar.goal},
                    {bar.at_least ? "at_least" : "at_most", bar.bound},
                    {"value", bar.value},
                    {"reached", bar.reached()}});
  }
  return bars;
}

json record_json(const Run& run, const Record& record) {
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
              {"published", published_json(run, record)}};
  if (!record.baseline.empty()) object["baseline"] = record.baseline;
  if (const Record* const baseline = find_record(run, record.baseline)) {
    object["times_as_fast_as_gmp"] = baseline->seconds / record.seconds;
  }
  if (record.device) {
    object["device_cycles"] = record.device->cycles;
    object["device_hertz"] = record.device->hertz;
  }
  return object;
}

json run_json(const Run& run) {
  json results = json::array();
  for (const Record& record : run.records) results.push_back(record_json(run, record));
  return {{"format", kRunFormat},
          {"machine",
           {{"processor", run.machine.processor},
            {"cores", run.machine.cores},
            {"compiler", run.machine.compiler}}},
          {"date", run.machine.date},
          {"group", run.group},
          {"backend", run.backend},
          {"backend_description", run.backend_description},
          {"threads", run.threads},
          {"results", std::move(results)},
          {"bars", bars_json(run)}};
}

json chain_json(const NoiseChain& chain) {
  json steps = json::array();
  for (const NoiseStep& step : chain.steps) {
    json object{{"depth", step.depth}, {"bound_bits", step.bound_bits}};
    if (step.measured_bits) object["measured_bits"] = *step.measured_bits;
    steps.push_back(std::move(object));
  }
  return {{"start", chain.start}, {"steps", std::move(steps)}};
}

json facts_json(const GroupFacts& facts) {
  json chains = json::array();
  for (const NoiseChain& chain : facts.chains) chains.push_back(chain_json(chain));
  return {{"group", facts.group},
          {"scheme", facts.scheme},
          {"modulus_bits", facts.modulus_bits},
          {"public_key_bytes", facts.public_key_bytes},
          {"secret_key_bytes", facts.secret_key_bytes},
          {"decrypt_limit_bits", facts.decrypt_limit_bits},
          {"refresh_limit_bits", facts.refresh_limit_bits},
          {"noise", std::move(chains)}};
}

json circuit_json(const CircuitScaling& scaling) {
  json times = json::array();
  for (const WorkersTime& time : scaling.times) {
    times.push_back({{"workers", time.workers},
                     {"scheduled_seconds", time.scheduled_seconds},
                     {"slept_seconds", time.slept_seconds ? json(*time.slept_seconds) : json()},
                     {"moved_bytes", time.moved_bytes}});
  }
  return {{"circuit", scaling.circuit},
          {"recryptions", scaling.recryptions},
          {"seconds", scaling.total_seconds},
          {"chain_seconds", scaling.chain_seconds},
          {"workers", std::move(times)}};
}

json scaling_json(const Scaling& scaling) {
  json circuits = json::array();
  for (const CircuitScaling& circuit : scaling.circuits) circuits.push_back(circuit_json(circuit));
  return {{"format", kScaleFormat},
          {"params", scaling.group},
          {"seconds",
           {{"sum", scaling.sum_seconds},
            {"product", scaling.product_seconds},
            {"recryption", scaling.recryption_seconds}}},
          {"circuits", std::move(circuits)}};
}

json computed_json(const ComputedClocks& computed) {
  return {{"module", computed.module},        {"published", computed.published},
          {"group", computed.group},          {"operation", computed.operation},
          {"device_cycles", computed.clocks}, {"device_hertz", computed.hertz}};
}

std::string text_of(const json& object) {
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

// The errors of the reading functions below; the file is named by who calls them.
Error wrong(const std::string& what) {
  return {ErrorCode::malformed_file, what};
}

// Far beyond what is measured, and near enough for any arithmetic on the values.
constexpr double kLargest = 1e18;
constexpr double kSmallest = 1e-18;

double number(const json& object, const char* key) {
  const auto value = object.at(key).get<double>();
  if (value >= 0 && value <= kLargest) return value;
  throw wrong(fmt::format("'{}' is {}, not from 0 to {}", key, value, kLargest));
}

double positive(const json& object, const char* key) {
  const double value = number(object, key);
  if (value < kSmallest) throw wrong(fmt::format("'{}' is {}, which is too small", key, value));
  return value;
}

// Counts have no fraction, and are small enough to be exact as doubles.
template <class Count>
Count count(const json& object, const char* key) {
  constexpr double kExact = 9007199254740992;  // 2^53
  constexpr double kMost = std::min(kExact, static_cast<double>(std::numeric_limits<Count>::max()));
  const double value = number(object, key);
  if (value > kMost || value != std::floor(value)) {
    throw wrong(fmt::format("'{}' is no count", key));
  }
  return static_cast<Count>(value);
}

Record record_of(const json& object) {
  Record record{.operation = object.at("operation").get<std::string>(),
                .unit = object.at("unit").get<std::string>(),
                .baseline = object.value("baseline", ""),
                .seconds = positive(object, "seconds"),
                .cpu_seconds = number(object, "cpu_seconds"),
                .iterations = count<std::int64_t>(object, "iterations"),
                .multiplications = number(object, "multiplications"),
                .limb_products = number(object, "limb_products"),
                .reductions = number(object, "reductions"),
                .stream_bytes = number(object, "stream_bytes"),
                .peak_memory_bytes = count<std::uint64_t>(object, "peak_memory_bytes")};
  if (object.contains("device_cycles")) {
    record.device =
        DeviceTime{positive(object, "device_cycles"),
                   object.contains("device_hertz") ? number(object, "device_hertz") : 0};
  }
  return record;
}

Run run_of(const json& object) {
  const json& machine = object.at("machine");
  Run run{.machine = {.processor = machine.at("processor").get<std::string>(),
                      .cores = count<unsigned>(machine, "cores"),
                      .compiler = machine.at("compiler").get<std::string>(),
                      .date = object.at("date").get<std::string>()},
          .group = object.at("group").get<std::string>(),
          .backend = object.at("backend").get<std::string>(),
          .backend_description = object.at("backend_description").get<std::string>(),
          .threads = count<std::size_t>(object, "threads"),
          .records = {}};
  for (const json& record : object.at("results")) run.records.push_back(record_of(record));
  return run;
}

NoiseChain chain_of(const json& object) {
  NoiseChain chain{object.at("start").get<std::string>(), {}};
  for (const json& step : object.at("steps")) {
    chain.steps.push_back({count<unsigned>(step, "depth"), number(step, "bound_bits"), {}});
    if (step.contains("measured_bits")) {
      chain.steps.back().measured_bits = number(step, "measured_bits");
    }
  }
  return chain;
}

GroupFacts facts_of(const json& object) {
  GroupFacts facts{.group = object.at("group").get<std::string>(),
                   .scheme = object.at("scheme").get<std::string>(),
                   .modulus_bits = count<std::size_t>(object, "modulus_bits"),
                   .public_key_bytes = count<std::uint64_t>(object, "public_key_bytes"),
                   .secret_key_bytes = count<std::uint64_t>(object, "secret_key_bytes"),
                   .decrypt_limit_bits = positive(object, "decrypt_limit_bits"),
                   .refresh_limit_bits = positive(object, "refresh_limit_bits"),
                   .chains = {}};
  for (const json& chain : object.at("noise")) facts.chains.push_back(chain_of(chain));
  return facts;
}

CircuitScaling circuit_of(const json& object) {
  CircuitScaling scaling{.circuit = object.at("circuit").get<std::string>(),
                         .recryptions = count<std::size_t>(object, "recryptions"),
                         .total_seconds = positive(object, "seconds"),
                         .chain_seconds = positive(object, "chain_seconds"),
                         .times = {}};
  for (const json& time : object.at("workers")) {
    scaling.times.push_back({.workers = count<std::size_t>(time, "workers"),
                             .scheduled_seconds = positive(time, "scheduled_seconds"),
                             .slept_seconds = {},
                             .moved_bytes = count<std::uint64_t>(time, "moved_bytes")});
    if (scaling.times.back().workers == 0) throw wrong("'workers' is 0");
    if (!time.at("slept_seconds").is_null()) {
      scaling.times.back().slept_seconds = positive(time, "slept_seconds");
    }
  }
  return scaling;
}

Scaling scaling_of(const json& object) {
  const json& seconds = object.at("seconds");
  Scaling scaling{.group = object.at("params").get<std::string>(),
                  .sum_seconds = number(seconds, "sum"),
                  .product_seconds = number(seconds, "product"),
                  .recryption_seconds = number(seconds, "recryption"),
                  .circuits = {}};
  for (const json& circuit : object.at("circuits")) {
    scaling.circuits.push_back(circuit_of(circuit));
  }
  return scaling;
}

ComputedClocks computed_of(const json& object) {
  return {.module = object.at("module").get<std::string>(),
          .published = object.at("published").get<std::string>(),
          .group = object.at("group").get<std::string>(),
          .operation = object.at("operation").get<std::string>(),
          .clocks = count<std::uint64_t>(object, "device_cycles"),
          .hertz = positive(object, "device_hertz")};
}

Study study_of(const json& object) {
  const auto format = object.at("format").get<std::string>();
  Study study;
  if (format == kRunFormat) {
    study.add(run_of(object));
  } else if (format == kScaleFormat) {
    study.add(scaling_of(object));
  } else if (format == kStudyFormat) {
    for (const json& run : object.at("runs")) study.add(run_of(run));
    for (const json& facts : object.at("groups")) study.add(facts_of(facts));
    // Studies of earlier versions have none of these.
    for (const json& scaling : object.value("scalings", json::array())) {
      study.add(scaling_of(scaling));
    }
    for (const json& computed : object.value("computed", json::array())) {
      study.add(computed_of(computed));
    }
  } else {
    throw wrong(fmt::format("its format is '{}'; this program reads '{}', '{}' and '{}'", format,
                            kRunFormat, kScaleFormat, kStudyFormat));
  }
  return study;
}

}  // namespace

std::string to_json(const Run& run) {
  return text_of(run_json(run));
}

std::string to_json(const Scaling& scaling) {
  return text_of(scaling_json(scaling));
}

std::string to_json(const Study& study) {
  json runs = json::array();
  for (const Run& run : study.runs) runs.push_back(run_json(run));
  json groups = json::array();
  for (const GroupFacts& facts : study.facts) groups.push_back(facts_json(facts));
  json scalings = json::array();
  for (const Scaling& scaling : study.scalings) scalings.push_back(scaling_json(scaling));
  json computed = json::array();
  for (const ComputedClocks& clocks : study.computed) computed.push_back(computed_json(clocks));
  return text_of({{"format", kStudyFormat},
                  {"runs", std::move(runs)},
                  {"groups", std::move(groups)},
                  {"scalings", std::move(scalings)},
                  {"computed", std::move(computed)}});
}

Study study_from_json(std::string_view text, const std::string& origin) {
  try {
    return study_of(json::parse(text));
  } catch (const json::exception& error) {
    throw Error(ErrorCode::malformed_file,
                fmt::format("{} is no result of fhe-bench: {}", origin, error.what()));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", origin, error.what()));
  }
}

Study read_study(const std::filesystem::path& path) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;
  const auto unreadable = [&](std::string_view why) {
    return Error(ErrorCode::io, fmt::format("cannot read {}: {}", path.string(), why));
  };
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw unreadable(error.message());
  if (bytes > kMostBytes) throw unreadable("larger than 64 MiB, so no result of fhe-bench");
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw unreadable("the system refuses");
  return study_from_json(text, path.string());
}

void write_text(std::string_view text, const std::filesystem::path& path) {
  if (path == "-") {
    std::cout << text << std::flush;
    if (!std::cout) throw Error(ErrorCode::io, "cannot write the result to standard output");
    return;
  }
  AtomicFile file(path, FileAccess::everyone);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace fhe::bench
