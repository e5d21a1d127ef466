// SPDX-License-Identifier: Apache-2.0
// The log of a server, on standard error: a line for each event, for people or for programs.
//
// Nobody waits for who reads it: lines are put into a queue, from which a thread of its own writes
// them. Where the reader stalls and the queue is full, lines are lost, and their number is logged.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <spdlog/spdlog.h>

#include "apps/outsource/messages.hpp"

namespace fhe::outsource {

// As text a line has time and level, and says what happened. As JSON it is an object with "time"
// (UTC), "level", the name of the "event", its facts, and the "message", which is that text.
enum class LogForm { text, json };

// The log of this process while it lives. Make it before other threads start.
class Log {
 public:
  // With `verbose` also events of level debug are logged.
  Log(LogForm form, bool verbose);
  // Gives what is in the queue a moment to be written.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

 private:
  class Queue;
  const std::shared_ptr<Queue> queue_;  // the thread has it, too, and may outlive the log
};

// Whether events of this level are logged.
[[nodiscard]] bool logs(spdlog::level::level_enum level);

// What is said of an event, in which nothing may be secret. What comes from clients stays within
// its line: control characters are replaced in text, and escaped in JSON.
struct Said {
  Json facts;
  std::string message;
};

void write_event(spdlog::level::level_enum level, std::string_view event, const Said& said);

// Logs an event, of which `describe` says more if such ones are logged. Any thread; throws nothing:
// where memory is wanting for more, the line has the name of the event alone.
template <class Describe>
void log_event(spdlog::level::level_enum level, std::string_view event, const Describe& describe) {
  if (!logs(level)) return;
  try {
    write_event(level, event, describe());
  } catch (const std::bad_alloc&) {
    spdlog::log(level, event);
  }
}

}  // namespace fhe::outsource
