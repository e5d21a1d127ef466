// SPDX-License-Identifier: Apache-2.0
// The results of fhe-bench, and how they are written as JSON. apps/report reads them: what is added
// here is added in apps/report/fhe_report/study.py too, if a report shows it.
//
// "fhe-bench 1" is one run, "fhe-bench scale 1" circuits on many workers, and "fhe-bench report 1"
// a study of any number of both, with facts about groups and computed clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fhe::bench {

// The machine that a benchmark ran on.
struct Machine {
  std::string processor;  // as the system names it
  unsigned cores = 0;
  std::string compiler;
  std::string date;  // UTC, ISO 8601: the start of the run
};

// What a device, or its simulation, says that one operation took.
struct DeviceTime {
  double cycles = 0;
  double hertz = 0;  // of the device's clock

  [[nodiscard]] double seconds() const { return cycles / hertz; }
};

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
};

// The group of runs that measure products alone, at the sizes of the papers and groups.
inline constexpr std::string_view kEngine = "engine";

// The operations of a group, or of the engine, on a backend.
struct Run {
  Machine machine;
  std::string group;  // or kEngine
  std::string backend;
  std::string backend_description;
  std::size_t threads = 0;
  std::vector<Record> records;

  // How many times as fast as its baseline an operation was; none without one in this run.
  [[nodiscard]] std::optional<double> times_as_fast(const Record& record) const;
};

// The noise after `depth` products one on another.
struct NoiseStep {
  unsigned depth = 0;
  double bound_bits = 0;                // proven, or what the scheme says instead
  std::optional<double> measured_bits;  // with the secret key; none past the limit
};

// A ciphertext that is squared until its bit would be lost; the last step is past the limit.
struct NoiseChain {
  std::string start;  // "fresh" or "recrypted"
  std::vector<NoiseStep> steps;
};

// Sizes and noise of the keys and ciphertexts of a group.
struct GroupFacts {
  std::string group;
  std::string scheme;
  std::size_t modulus_bits = 0;        // a ciphertext is one number below the modulus
  std::uint64_t public_key_bytes = 0;  // of the files
  std::uint64_t secret_key_bytes = 0;
  double decrypt_limit_bits = 0;
  double refresh_limit_bits = 0;
  std::vector<NoiseChain> chains;
};

// A circuit on so many workers.
struct WorkersTime {
  std::size_t workers = 0;
  double scheduled_seconds = 0;         // by list scheduling
  std::optional<double> slept_seconds;  // of the executor with tasks that sleep
  std::uint64_t moved_bytes = 0;        // between machines
};

struct CircuitScaling {
  std::string circuit;
  std::size_t recryptions = 0;
  double total_seconds = 0;  // of all tasks
  double chain_seconds = 0;  // of the longest chain
  std::vector<WorkersTime> times;

  // How much of so many workers is used when the circuit takes so long: 1 is all of them.
  [[nodiscard]] double used(std::size_t workers, double seconds) const {
    return total_seconds / (seconds * static_cast<double>(workers));
  }
};

// Circuits under a key of a group, on many workers.
struct Scaling {
  std::string group;
  double sum_seconds = 0;  // of one task of each kind
  double product_seconds = 0;
  double recryption_seconds = 0;
  std::vector<CircuitScaling> circuits;
};

// An operation on the hardware of accel/fpga by its law of clocks, to which tests hold the
// simulated RTL. It was not measured.
struct ComputedClocks {
  std::string module;     // the top module
  std::string published;  // the design of params/published.toml whose times are those of its paper
  std::string group;
  std::string operation;
  std::uint64_t clocks = 0;
  double hertz = 0;  // of a clock that is assumed: that of the paper

  [[nodiscard]] double seconds() const { return static_cast<double>(clocks) / hertz; }
};

// All that a report is drawn from.
struct Study {
  std::vector<Run> runs;
  std::vector<GroupFacts> facts;
  std::vector<ComputedClocks> computed;
};

// Their text in these formats; what is no UTF-8 in a name becomes U+FFFD.
std::string to_json(const Run& run);
std::string to_json(const Scaling& scaling);
std::string to_json(const Study& study);

// Writes a text whole or not at all; "-" is standard output. Throws Error(io).
void write_text(std::string_view text, const std::filesystem::path& path);

// The same for a text that a longer one will replace: only into files. Standard output, pipes and
// devices get the last one alone.
void write_so_far(std::string_view text, const std::filesystem::path& path);

}  // namespace fhe::bench
