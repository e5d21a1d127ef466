// SPDX-License-Identifier: Apache-2.0
// What every command works with: its common options, a monitor, a backend and a clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "apps/support/progress_bar.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::cli {

// Options that several commands have.
struct CommonOptions {
  bool json = false;
  bool verbose = false;
  std::string backend{default_backend_name()};
  std::size_t threads = 0;                      // 0: as many as the machine has
  std::optional<std::uint64_t> max_file_bytes;  // none: the library's limits
  std::optional<std::uint64_t> max_ciphertexts;
};

class Session {
 public:
  Session(const CommonOptions& options, std::stop_token stop);

  // Draws the progress bar and stops when the user interrupts.
  [[nodiscard]] const Monitor& monitor() const { return monitor_; }

  [[nodiscard]] apps::ProgressBar& progress() { return progress_; }

  // The backend that the user asked for.
  [[nodiscard]] BackendPtr backend() const;

  // What files and circuits may hold: the library's limits, or what the user set instead.
  [[nodiscard]] const ReadLimits& limits() const { return limits_; }
  [[nodiscard]] const CircuitLimits& circuit_limits() const { return circuit_limits_; }

  // Seconds since the session began.
  [[nodiscard]] double seconds() const;

 private:
  std::string backend_;
  ThreadLimit threads_;
  ReadLimits limits_;
  CircuitLimits circuit_limits_;
  apps::ProgressBar progress_;
  Monitor monitor_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace fhe::cli
