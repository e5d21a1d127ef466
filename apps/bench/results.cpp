// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/results.hpp"

#include <algorithm>
#include <iostream>
#include <span>

#include <nlohmann/json.hpp>

#include "libfhe/error.hpp"
#include "libfhe/storage/atomic_file.hpp"
#include "libfhe/storage/file_target.hpp"

namespace fhe::bench {

namespace {

using nlohmann::json;

json json_of(const Run& run);
json json_of(const NoiseStep& step);
json json_of(const NoiseChain& chain);
json json_of(const GroupFacts& facts);
json json_of(const WorkersTime& time);
json json_of(const CircuitScaling& scaling);
json json_of(const ComputedClocks& computed);

template <class Item>
json list_of(const std::vector<Item>& items) {
  json list = json::array();
  for (const Item& item : items) list.push_back(json_of(item));
  return list;
}

json json_of(const Run& run, const Record& record) {
  json object{{"operation", record.operation},
              {"unit", record.unit},
              {"seconds", record.seconds},
              {"cpu_seconds", record.cpu_seconds},
              {"iterations", record.iterations},
              {"multiplications", record.multiplications},
              {"limb_products", record.limb_products},
              {"reductions", record.reductions},
              {"stream_bytes", record.stream_bytes},
              {"peak_memory_bytes", record.peak_memory_bytes}};
  if (!record.baseline.empty()) object["baseline"] = record.baseline;
  if (const auto ratio = run.times_as_fast(record)) object["times_as_fast_as_gmp"] = *ratio;
  if (record.device) {
    object["device_cycles"] = record.device->cycles;
    object["device_hertz"] = record.device->hertz;
  }
  return object;
}

json json_of(const Run& run) {
  json results = json::array();
  for (const Record& record : run.records) results.push_back(json_of(run, record));
  return {{"format", "fhe-bench 1"},
          {"machine",
           {{"processor", run.machine.processor},
            {"cores", run.machine.cores},
            {"compiler", run.machine.compiler}}},
          {"date", run.machine.date},
          {"group", run.group},
          {"backend", run.backend},
          {"backend_description", run.backend_description},
          {"threads", run.threads},
          {"results", std::move(results)}};
}

json json_of(const NoiseStep& step) {
  json object{{"depth", step.depth}, {"bound_bits", step.bound_bits}};
  if (step.measured_bits) object["measured_bits"] = *step.measured_bits;
  return object;
}

json json_of(const NoiseChain& chain) {
  return {{"start", chain.start}, {"steps", list_of(chain.steps)}};
}

json json_of(const GroupFacts& facts) {
  return {{"group", facts.group},
          {"scheme", facts.scheme},
          {"modulus_bits", facts.modulus_bits},
          {"public_key_bytes", facts.public_key_bytes},
          {"secret_key_bytes", facts.secret_key_bytes},
          {"decrypt_limit_bits", facts.decrypt_limit_bits},
          {"refresh_limit_bits", facts.refresh_limit_bits},
          {"noise", list_of(facts.chains)}};
}

json json_of(const WorkersTime& time) {
  return {{"workers", time.workers},
          {"scheduled_seconds", time.scheduled_seconds},
          {"slept_seconds", time.slept_seconds ? json(*time.slept_seconds) : json()},
          {"moved_bytes", time.moved_bytes}};
}

json json_of(const CircuitScaling& scaling) {
  return {{"circuit", scaling.circuit},
          {"recryptions", scaling.recryptions},
          {"seconds", scaling.total_seconds},
          {"chain_seconds", scaling.chain_seconds},
          {"workers", list_of(scaling.times)}};
}

json json_of(const ComputedClocks& computed) {
  return {{"module", computed.module},        {"published", computed.published},
          {"group", computed.group},          {"operation", computed.operation},
          {"device_cycles", computed.clocks}, {"device_hertz", computed.hertz}};
}

std::string text_of(const json& object) {
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

std::optional<double> Run::times_as_fast(const Record& record) const {
  const auto baseline = std::ranges::find(records, record.baseline, &Record::operation);
  if (baseline == records.end()) return std::nullopt;
  return baseline->seconds / record.seconds;
}

std::string to_json(const Run& run) {
  return text_of(json_of(run));
}

std::string to_json(const Scaling& scaling) {
  return text_of({{"format", "fhe-bench scale 1"},
                  {"params", scaling.group},
                  {"seconds",
                   {{"sum", scaling.sum_seconds},
                    {"product", scaling.product_seconds},
                    {"recryption", scaling.recryption_seconds}}},
                  {"circuits", list_of(scaling.circuits)}});
}

std::string to_json(const Study& study) {
  return text_of({{"format", "fhe-bench report 1"},
                  {"runs", list_of(study.runs)},
                  {"groups", list_of(study.facts)},
                  {"computed", list_of(study.computed)}});
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

void write_so_far(std::string_view text, const std::filesystem::path& path) {
  if (path == "-") return;
  if (resolve_target(path, FileAccess::everyone).kind == FileTarget::Kind::file) {
    write_text(text, path);
  }
}

}  // namespace fhe::bench
