// SPDX-License-Identifier: Apache-2.0
// What one run of fhe-bench has measured: the operations of one group, or the products, on one
// backend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/study/machine.hpp"

namespace fhe::bench {

// What a device, or its simulation, says that one operation took.
struct DeviceTime {
  double cycles = 0;
  double hertz = 0;  // of the device's clock; 0 when it is not known

  friend bool operator==(const DeviceTime&, const DeviceTime&) = default;
};

// The clock of the device, which has never been on a board: the lowest of those that its papers
// state for its engines, that of the low-latency multiplier of 256 points (Cao et al. 2016, Table
// 2). The device has one clock, so the sparse multiplier runs at it too (175.68 MHz in Table 5),
// and the 768K multiplier (200 MHz in Wang et al. 2014, Table IV).
inline constexpr double kDeviceHertz = 161.276e6;

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
  std::optional<DeviceTime> device = {};

  friend bool operator==(const Record&, const Record&) = default;
};

// A goal that is set for a backend (bars.cpp), and what was measured.
struct BarResult {
  std::string goal;
  double bound = 0;
  bool at_least = true;  // or at most
  double value = 0;

  [[nodiscard]] bool reached() const { return at_least ? value >= bound : value <= bound; }
};

struct Run {
  Machine machine;
  std::string group;  // or "engine": products at the sizes of the papers and groups
  std::string backend;
  std::string backend_description;
  std::size_t threads = 0;
  std::vector<Record> records;
};

// The group of runs that measure products alone.
inline constexpr std::string_view kEngine = "engine";

// The record of an operation; null when it was not measured.
const Record* find_record(const Run& run, std::string_view operation);

}  // namespace fhe::bench
