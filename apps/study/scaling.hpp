// SPDX-License-Identifier: Apache-2.0
// How well circuits use many workers, as `fhe-bench scale` finds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fhe::bench {

// A circuit on so many workers.
struct WorkersTime {
  std::size_t workers = 0;
  double scheduled_seconds = 0;         // by list scheduling
  std::optional<double> slept_seconds;  // of the executor with tasks that sleep
  std::uint64_t moved_bytes = 0;        // between machines

  friend bool operator==(const WorkersTime&, const WorkersTime&) = default;
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

  friend bool operator==(const CircuitScaling&, const CircuitScaling&) = default;
};

// What was found under a key of one group.
struct Scaling {
  std::string group;
  double sum_seconds = 0;  // of one task of each kind
  double product_seconds = 0;
  double recryption_seconds = 0;
  std::vector<CircuitScaling> circuits;

  friend bool operator==(const Scaling&, const Scaling&) = default;
};

}  // namespace fhe::bench
