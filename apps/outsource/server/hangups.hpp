// SPDX-License-Identifier: Apache-2.0
// SIGHUP as a request to read settings again.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace fhe::outsource {

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
