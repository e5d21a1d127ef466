// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM and SIGHUP as a stop token.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>

namespace fhe::apps {

// What the first signal does. The second one ends the process at once, whatever the first did.
enum class FirstSignal {
  // Requests a stop, and ends the process when it then does nothing for a few seconds: it waits for
  // something that may never come (a device, a network, a reader of its output).
  stops,
  // Requests a stop and nothing else: for servers, which wait for others while they stop, and which
  // read their settings anew at SIGHUP: that one is left to them.
  only_asks,
  // Ends the process at once: for programs that leave nothing behind.
  ends,
};

// Watches for signals from its construction on. A process that they end returns exit code 130.
//
// There is no signal handler: the signals are blocked in every thread and one thread waits for
// them, so that what it does need not be async-signal-safe. Make one of these before any other
// thread starts: threads inherit the blocked signals. SIGHUP is left alone where it is ignored, as
// under nohup.
class InterruptWatch {
 public:
  explicit InterruptWatch(FirstSignal first = FirstSignal::stops);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  void watch();
  // Waits for one of the signals, for a second at most, or with no limit. False: none came.
  [[nodiscard]] bool wait_for_signal(bool for_ever) const;

  FirstSignal first_;
  sigset_t signals_{};
  std::stop_source stop_;
  std::atomic<bool> finished_ = false;
  std::thread watcher_;
};

// A descriptor that can be read as soon as a stop is requested, to be polled beside others.
class StopEvent {
 public:
  // Throws Error(io) when there are no descriptors left.
  explicit StopEvent(const std::stop_token& stop);
  ~StopEvent();
  StopEvent(const StopEvent&) = delete;
  StopEvent& operator=(const StopEvent&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  // Waits until `input` can be read or is at its end. Throws Error(stopped) when a stop is
  // requested before; `what` is what it waited for.
  void wait_for(int input, std::string_view what) const;

 private:
  int descriptor_;
  std::optional<std::stop_callback<std::function<void()>>> callback_;
};

// Lets writes to a closed pipe and past a file size limit fail with an error that is reported,
// instead of ending the process and leaving temporary files behind.
void turn_write_signals_into_errors();

}  // namespace fhe::apps
