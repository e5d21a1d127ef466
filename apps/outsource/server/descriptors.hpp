// SPDX-License-Identifier: Apache-2.0
// Open files: how many a server may have, and what it does with so many.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace fhe::outsource {

// Lets this process open as many files as its hard limit says, and returns how many those are.
[[nodiscard]] std::uint64_t raise_descriptor_limit();

// How many connections so many open files allow, at most `wanted`, beside so many child processes.
// Throws Error(unsupported) where that is none.
[[nodiscard]] std::size_t fitting_connections(std::size_t wanted, std::uint64_t descriptors,
                                              std::size_t children);

// Logs that there were no more open files, not too often. One thread.
class Shortage {
 public:
  void add();

 private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t count_ = 0;   // since the last line
  Clock::time_point next_{};  // no line before
};

}  // namespace fhe::outsource
