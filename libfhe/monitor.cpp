// SPDX-License-Identifier: Apache-2.0
#include "libfhe/monitor.hpp"

#include "libfhe/error.hpp"

namespace fhe {

void Monitor::throw_if_stopped() const {
  if (stop.stop_requested()) {
    throw Error(ErrorCode::stopped, "stopped on request before the result was complete");
  }
}

Progress::Progress(const Monitor& monitor, std::string_view phase, std::size_t total)
    : monitor_(monitor), phase_(phase), total_(total) {
  if (monitor_.progress) monitor_.progress(phase_, 0.0);
}

void Progress::advance(std::size_t steps) {
  monitor_.throw_if_stopped();
  const std::size_t done = done_.fetch_add(steps) + steps;
  if (!monitor_.progress || total_ == 0) return;
  // A thread that finds another one reporting goes on: a lost intermediate figure costs nothing.
  // The last step must not be lost.
  std::unique_lock lock(reporting_, std::defer_lock);
  if (done >= total_) {
    lock.lock();
  } else if (!lock.try_lock()) {
    return;
  }
  monitor_.progress(phase_, static_cast<double>(done) / static_cast<double>(total_));
}

}  // namespace fhe
