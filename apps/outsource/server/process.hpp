// SPDX-License-Identifier: Apache-2.0
// The server as a process: its open files, and signals.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

namespace fhe::outsource {

// Open files: how many a server may have, and what it does with so many.

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

// SIGHUP as a request to read settings again.

// Lets SIGHUP wait for a HangupWatch instead of ending the process. To be called before any other
// thread starts, and before what else watches signals: threads inherit that it is blocked, and
// others leave a signal alone that is ignored.
void hold_hangups();

// Does `action`, which may not throw, in a thread of its own after every SIGHUP since hold_hangups.
class HangupWatch {
 public:
  explicit HangupWatch(std::function<void()> action);
  ~HangupWatch();
  HangupWatch(const HangupWatch&) = delete;
  HangupWatch& operator=(const HangupWatch&) = delete;

 private:
  void watch() const;

  const std::function<void()> action_;
  std::atomic<bool> finished_ = false;
  std::thread watcher_;
};

}  // namespace fhe::outsource
