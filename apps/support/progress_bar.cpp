// SPDX-License-Identifier: Apache-2.0
#include "apps/support/progress_bar.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace fhe::apps {

namespace {

constexpr std::size_t kCells = 24;
constexpr std::chrono::milliseconds kInterval(100);

std::string bar(double fraction) {
  const auto full = static_cast<std::size_t>(fraction * static_cast<double>(kCells));
  return std::string(full, '#') + std::string(kCells - full, '.');
}

std::string elapsed(std::chrono::steady_clock::duration time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

// ", 1:30 left" from the time that this much of a phase took; nothing while that says little.
std::string left(std::chrono::steady_clock::duration taken, double fraction) {
  constexpr double kSaysLittle = 0.02;
  if (fraction < kSaysLittle || fraction >= 1 || taken < std::chrono::seconds(1)) return "";
  const std::chrono::duration<double> remaining = taken * ((1 - fraction) / fraction);
  return fmt::format(
      ", {} left",
      elapsed(std::chrono::duration_cast<std::chrono::steady_clock::duration>(remaining)));
}

}  // namespace

ProgressBar::ProgressBar() : enabled_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  clear();
}

void ProgressBar::begin_item(std::size_t number, std::size_t total) {
  if (!enabled_) return;
  const std::lock_guard lock(guard_);
  item_ = fmt::format("{} of {}: ", number, total);
}

void ProgressBar::update(std::string_view phase, double fraction) {
  if (!enabled_) return;
  const std::lock_guard lock(guard_);
  const Clock::time_point now = Clock::now();
  if (!due(phase, fraction, now)) return;
  if (phase != phase_) phase_start_ = now;
  const double shown = std::clamp(fraction, 0.0, 1.0);
  const std::string line =
      fmt::format("\r\033[K{}{} [{}] {:3.0f} % {}{}", item_, phase, bar(shown), 100.0 * shown,
                  elapsed(now - start_), left(now - phase_start_, shown));
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  drawn_at_ = now;
  phase_ = phase;
  visible_ = true;
}

// The first and the last figure of a phase are always drawn, others ten times a second.
bool ProgressBar::due(std::string_view phase, double fraction, Clock::time_point now) const {
  return phase != phase_ || fraction >= 1.0 || now - drawn_at_ >= kInterval;
}

void ProgressBar::clear() {
  const std::lock_guard lock(guard_);
  if (!visible_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace fhe::apps
