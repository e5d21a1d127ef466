// SPDX-License-Identifier: Apache-2.0
// The log of a server, on standard error: a line for each event, for people or for programs.
#pragma once

#include <new>
#include <string>
#include <string_view>

#include <spdlog/spdlog.h>

#include "apps/outsource/messages.hpp"

namespace fhe::outsource {

// As text a line has time and level, and says what happened. As JSON it is an object with "time"
// (UTC), "level", the name of the "event", its facts, and the "message", which is that text.
enum class LogForm { text, json };

// For the whole process, before other threads start. With `verbose` also events of level debug.
void set_up_log(LogForm form, bool verbose);

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
