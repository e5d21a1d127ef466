// SPDX-License-Identifier: Apache-2.0
// How a caller watches a long call and stops it: a stop token and a progress callback.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string_view>

#include "libfhe/export.hpp"

namespace fhe {

// Passed by const reference to every call that can take a long time; the default watches nothing.
//
// `progress(phase, fraction)` is told the phase ("public key", "expand", ...) and how much of that
// phase is done, in [0, 1]. It may be called from worker threads, but never by two at a time, and
// must not throw. When `stop` is triggered, the call throws Error(stopped) at its next look at
// (with every group at most about a second of work away) and leaves nothing behind.
struct FHE_EXPORT Monitor {
  std::stop_token stop;  // asks the call to stop; never triggered by default
  std::function<void(std::string_view phase, double fraction)> progress;  // may be empty

  // Throws Error(stopped) if a stop was requested.
  void throw_if_stopped() const;
};

// Counts the finished steps of one phase, from any number of threads, and reports them.
class FHE_EXPORT Progress {
 public:
  // The phase has `total` steps; zero is allowed. The monitor and the phase name must outlive it.
  Progress(const Monitor& monitor, std::string_view phase, std::size_t total);
  Progress(const Monitor&&, std::string_view, std::size_t) = delete;

  // The monitor that it reports to.
  [[nodiscard]] const Monitor& monitor() const { return monitor_; }

  // Says that `steps` more are done. Throws Error(stopped) if a stop was requested.
  void advance(std::size_t steps = 1);

 private:
  const Monitor& monitor_;
  std::string_view phase_;
  std::size_t total_;
  std::atomic<std::size_t> done_{0};
  std::mutex reporting_;
};

}  // namespace fhe
