// SPDX-License-Identifier: Apache-2.0
// Requests that showed no valid token: counted, and logged so that nobody can fill the log by them.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace fhe::outsource {

// Any number of threads.
class FailedLogins {
 public:
  // Counts one; logs the first, and then how many there were since, every ten seconds at most.
  void add(const std::string& address);

  // Since the server started.
  [[nodiscard]] std::uint64_t count() const;

 private:
  using Clock = std::chrono::steady_clock;

  mutable std::mutex guard_;
  std::uint64_t count_ = 0;
  std::uint64_t logged_ = 0;
  Clock::time_point logged_at_;
};

}  // namespace fhe::outsource
