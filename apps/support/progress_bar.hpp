// SPDX-License-Identifier: Apache-2.0
// One line on the terminal that shows how far a long call is.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace fhe::apps {

// Draws on standard error when that is a terminal, and does nothing otherwise.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Says that `number` (from 1) of `total` ciphertexts is in work; shown before the phase.
  void begin_item(std::size_t number, std::size_t total);

  // Shows phase, percentage, the time since construction and what is left of the phase, as far as
  // that can be told; `fraction` in [0, 1].
  void update(std::string_view phase, double fraction);

  // Removes the line, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool due(std::string_view phase, double fraction, Clock::time_point now) const;

  std::mutex guard_;
  const bool enabled_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_at_;
  Clock::time_point phase_start_ = start_;
  std::string item_;
  std::string phase_;
  bool visible_ = false;
};

}  // namespace fhe::apps
