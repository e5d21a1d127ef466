// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/log.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <fmt/chrono.h>
#include <poll.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "apps/support/failure.hpp"

namespace fhe::outsource {

namespace {

std::atomic<LogForm> log_form = LogForm::text;

// ASCII only, so that no terminal and no reader of lines takes part of it for something else.
std::string json_line(spdlog::level::level_enum level, std::string_view event, const Said& said) {
  const spdlog::string_view_t name = spdlog::level::to_string_view(level);
  Json line{{"time", fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(
                                                  std::chrono::system_clock::now())))},
            {"level", std::string_view(name.data(), name.size())},
            {"event", event}};
  line.update(said.facts);
  line["message"] = said.message;
  return line.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string line_of(spdlog::level::level_enum level, std::string_view event, const Said& said) {
  return log_form == LogForm::json ? json_line(level, event, said) : apps::one_line(said.message);
}

// How many bytes of a text were written to standard error, or are given up: one that is closed
// takes none.
std::size_t write_some(std::string_view text) {
  constexpr std::size_t kAtOnce = 4096;  // PIPE_BUF: a pipe that takes any byte takes so many
  pollfd output{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&output, 1, -1) < 0) return errno == EINTR ? 0 : text.size();
  const ssize_t bytes = ::write(STDERR_FILENO, text.data(), std::min(text.size(), kAtOnce));
  if (bytes >= 0) return static_cast<std::size_t>(bytes);
  return errno == EINTR || errno == EAGAIN ? 0 : text.size();
}

}  // namespace

// Takes lines without waiting, and writes them in another thread.
class Log::Queue final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // Writes lines until close(), and then those that are left.
  void write_lines() {
    while (const std::optional<std::string> line = next()) {
      for (std::string_view rest = *line; !rest.empty();) rest.remove_prefix(write_some(rest));
      const std::lock_guard lock(guard_);
      writes_ = false;
      changed_.notify_all();
    }
  }

  // Returns when all is written, and after that time at the latest.
  void close(std::chrono::milliseconds most_time) {
    std::unique_lock lock(guard_);
    closed_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, most_time, [this] { return lines_.empty() && !writes_; });
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  void sink_it_(const spdlog::details::log_msg& message) override {
    std::string line = formatted(message);
    const std::lock_guard lock(guard_);
    if (bytes_ + line.size() > kMostBytes) {
      ++lost_;
      return;
    }
    if (lost_ > 0) push(line_about(std::exchange(lost_, 0)));
    push(std::move(line));
    changed_.notify_all();
  }

  void flush_() override {}

  std::string formatted(const spdlog::details::log_msg& message) {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    return {text.data(), text.size()};
  }

  std::string line_about(std::uint64_t lost) {
    const std::string line = line_of(
        spdlog::level::warn, "lines_lost",
        {{{"count", lost}}, fmt::format("{} lines of the log are lost: nobody read them", lost)});
    return formatted({"", spdlog::level::warn, line});
  }

  void push(std::string line) {
    bytes_ += line.size();
    lines_.push_back(std::move(line));
  }

  // None when there is no other, nor will be.
  std::optional<std::string> next() {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [this] { return !lines_.empty() || closed_; });
    if (lines_.empty()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= line.size();
    writes_ = true;
    return line;
  }

  std::mutex guard_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;   // of lines_
  std::uint64_t lost_ = 0;  // lines, since the last that there was room for
  bool writes_ = false;     // a line that is in the queue no more
  bool closed_ = false;
};

Log::Log(LogForm form, bool verbose) : queue_(std::make_shared<Queue>()) {
  log_form = form;
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("fhe-outsource", queue_));
  spdlog::set_pattern(form == LogForm::json ? "%v" : "%Y-%m-%d %T %l: %v");
  spdlog::set_level(verbose ? spdlog::level::debug : spdlog::level::info);
  // It may wait for a reader for ever, and the process does not wait for it.
  std::thread([queue = queue_] { queue->write_lines(); }).detach();
}

Log::~Log() {
  constexpr std::chrono::milliseconds kFarewell(1000);
  queue_->close(kFarewell);
}

bool logs(spdlog::level::level_enum level) {
  return spdlog::should_log(level);
}

void write_event(spdlog::level::level_enum level, std::string_view event, const Said& said) {
  spdlog::log(level, "{}", line_of(level, event, said));
}

}  // namespace fhe::outsource
