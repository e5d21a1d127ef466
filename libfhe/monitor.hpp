// How a caller watches a long call and stops it: a stop token and a progress callback.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string_view>

namespace fhe {

// Passed by const reference to every call that can take long; the default watches nothing.
//
// `progress(phase, fraction)` is told the phase ("public key", "expand", ...) and how much of that
// phase is done, in [0, 1]. It may be called from worker threads, never by two at a time, and
// must not throw. When `stop` is triggered the call throws Error(stopped) at its next checkpoint
// (about a second of work away at most, at every group) and leaves nothing behind.
struct Monitor {
  std::stop_token stop;
  std::function<void(std::string_view phase, double fraction)> progress;

  // Throws Error(stopped) when a stop was requested.
  void checkpoint() const;
};

// Counts the finished steps of one phase from any number of threads and reports them.
class Progress {
 public:
  // `total` steps make the phase; zero is allowed. The monitor and the phase name must outlive it.
  Progress(const Monitor& monitor, std::string_view phase, std::size_t total);

  // Says that `steps` more are done. Throws Error(stopped) when a stop was requested.
  void advance(std::size_t steps = 1);

 private:
  const Monitor& monitor_;
  std::string_view phase_;
  std::size_t total_;
  std::atomic<std::size_t> done_{0};
  std::mutex reporting_;
};

}  // namespace fhe
