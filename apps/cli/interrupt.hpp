// SIGINT and SIGTERM as a stop token.
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace fhe::cli {

// The first signal requests a stop, the second ends the process at once with exit code 130.
//
// There is no signal handler: the signals are blocked in every thread and one thread waits for
// them, so that what it does need not be async-signal-safe. Make one of these before any other
// thread starts: threads inherit the blocked signals.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  void watch();

  sigset_t signals_{};
  std::stop_source stop_;
  std::atomic<bool> finished_ = false;
  std::thread watcher_;
};

// Lets writes to a closed pipe and past a file size limit fail with an error that is reported,
// instead of ending the process and leaving temporary files behind.
void turn_write_signals_into_errors();

}  // namespace fhe::cli
