// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/log.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include <fmt/chrono.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

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

}  // namespace

void set_up_log(LogForm form, bool verbose) {
  log_form = form;
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "fhe-outsource", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  spdlog::set_pattern(form == LogForm::json ? "%v" : "%Y-%m-%d %T %l: %v");
  spdlog::set_level(verbose ? spdlog::level::debug : spdlog::level::info);
}

bool logs(spdlog::level::level_enum level) {
  return spdlog::should_log(level);
}

void write_event(spdlog::level::level_enum level, std::string_view event, const Said& said) {
  spdlog::log(
      level, "{}",
      log_form == LogForm::json ? json_line(level, event, said) : apps::one_line(said.message));
}

}  // namespace fhe::outsource
