// What fhe-bench prints and writes: one record per operation, as a table and as JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bench/machine.hpp"
#include "libfhe/arith/counters.hpp"

namespace fhe::bench {

// One measured operation. Everything but the peak is per operation.
struct Record {
  std::string operation;
  std::string unit;        // what one operation is, such as "per ciphertext"
  std::string baseline;    // the operation that it is compared with, if any
  double seconds = 0;      // wall clock
  double cpu_seconds = 0;  // of all threads
  std::int64_t iterations = 0;
  double multiplications = 0;
  double limb_products = 0;
  double reductions = 0;
  double stream_bytes = 0;
  std::uint64_t peak_memory_bytes = 0;
};

// A goal that is set for a backend (bars.cpp), and what was measured.
struct BarResult {
  std::string goal;
  double bound = 0;
  bool at_least = true;  // or at most
  double value = 0;

  [[nodiscard]] bool reached() const { return at_least ? value >= bound : value <= bound; }
};

struct Report {
  Machine machine;
  std::string group;
  std::string backend;
  std::string backend_description;
  std::size_t threads = 0;
  std::vector<Record> records;
  std::vector<BarResult> bars;
};

// The record of an operation; null when it was not measured.
const Record* find_record(const Report& report, std::string_view operation);

// A table for people, with the published figures beside ours.
void print_table(const Report& report);

// Writes the report as JSON, whole or not at all; "-" is standard output. Throws Error(io).
void write_json(const Report& report, const std::filesystem::path& path);

}  // namespace fhe::bench
