// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/checks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/outsource/server/log.hpp"
#include "apps/outsource/server/refusal.hpp"
#include "apps/outsource/server/task.hpp"

namespace fhe::outsource {

namespace {

constexpr std::array<std::string_view, 3> kNames{"key", "ciphertexts", "circuit"};

// The clock may show more than the processor's time, on a machine that is busy.
std::chrono::seconds most_time(const apps::ProcessLimits& limits) {
  constexpr std::uint64_t kShare = 4;
  const bool limited = limits.cpu_seconds > 0;
  return limited ? std::chrono::seconds(kShare * limits.cpu_seconds) : std::chrono::hours(24);
}

std::vector<std::string> arguments_of(const CheckSettings& settings, const Check& check) {
  std::vector<std::string> arguments{settings.program.string(),
                                     "check",
                                     "--kind",
                                     std::string(to_string(check.kind)),
                                     "--file",
                                     check.file.string(),
                                     "--max-bytes",
                                     fmt::format("{}", check.most_bytes),
                                     "--max-memory",
                                     fmt::format("{}", settings.limits.memory_mib),
                                     "--max-seconds",
                                     fmt::format("{}", settings.limits.cpu_seconds)};
  if (!check.key.empty()) arguments.insert(arguments.end(), {"--key", check.key.string()});
  return arguments;
}

Refusal stopping() {
  return {503, kStopping, "the server stops: try again later"};
}

Refusal too_long(const apps::ProcessLimits& limits) {
  return {413, "too_complex",
          fmt::format("checking this takes longer than this server allows ({} s): send something "
                      "smaller",
                      limits.cpu_seconds)};
}

// A process that needed more memory than it may have tells so, or is ended by abort(); one that is
// killed was in the way of others.
Refusal died(const TaskEnd& end, const apps::ProcessLimits& limits) {
  if (!end.lacked_memory()) {
    return {422, "check_failed",
            fmt::format("the check of this file failed, {}: it is not taken", end.message)};
  }
  return {413, end.code,
          fmt::format("out of memory: checking this takes more memory than this server has for it "
                      "({} MiB at most): send something smaller, or try again later",
                      limits.memory_mib)};
}

}  // namespace

std::string_view to_string(CheckedKind kind) {
  return kNames.at(static_cast<std::size_t>(kind));
}

CheckedKind checked_kind_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found != kNames.end()) return static_cast<CheckedKind>(found - kNames.begin());
  throw Error(ErrorCode::invalid_argument, fmt::format("nothing is checked that is a '{}'", name));
}

Checks::Checks(CheckSettings settings, std::stop_token stop)
    : settings_(std::move(settings)), stop_(std::move(stop)) {}

// The right to run one check, until it is dropped.
class Checks::Turn {
 public:
  Turn(Checks& checks, const std::string& client) : checks_(checks), client_(client) {
    std::unique_lock lock(checks_.guard_);
    const auto mine = checks_.waiting_.insert(checks_.waiting_.end(), client);
    const bool mine_now =
        checks_.changed_.wait(lock, checks_.stop_, [&] { return checks_.may_start(mine); });
    checks_.waiting_.erase(mine);
    if (!mine_now) throw stopping();
    ++checks_.running_[client_];
    checks_.changed_.notify_all();  // another may be able to start, too
  }
  ~Turn() {
    const std::lock_guard lock(checks_.guard_);
    if (--checks_.running_[client_] == 0) checks_.running_.erase(client_);
    checks_.changed_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Checks& checks_;
  const std::string client_;
};

std::size_t Checks::running_of(const std::string& client) const {
  const auto entry = running_.find(client);
  return entry == running_.end() ? 0 : entry->second;
}

bool Checks::may_start(Waiting::const_iterator mine) const {
  std::size_t all = 0;
  for (const auto& [client, count] : running_) all += count;
  if (all >= settings_.most) return false;
  const std::size_t most_of_client = std::max<std::size_t>(1, settings_.most / 2);
  const auto first = std::find_if(waiting_.begin(), waiting_.end(), [&](const std::string& client) {
    return running_of(client) < most_of_client;
  });
  return first == mine;
}

Json Checks::facts(const std::string& client, const Check& check, const std::string& shown_as) {
  const Turn turn(*this, client);
  Json facts;
  const TaskEnd end = run_task(arguments_of(settings_, check), most_time(settings_.limits), stop_,
                               [&](const Json& line) { facts = line.value("facts", Json()); });
  switch (end.fate) {
    case TaskFate::done:
      if (facts.is_object()) return facts;
      throw Refusal(500, "internal", "the check of this file said nothing");
    case TaskFate::stopped:
      throw stopping();
    case TaskFate::too_long:
      throw too_long(settings_.limits);
    case TaskFate::died:
      log_event(spdlog::level::err, "check_died", [&] {
        return Said{
            {{"kind", to_string(check.kind)}, {"client", client}, {"reason", end.message}},
            fmt::format("a check of a {} of {}: {}", to_string(check.kind), client, end.message)};
      });
      throw died(end, settings_.limits);
    case TaskFate::refused:
    case TaskFate::not_now:
      break;
  }
  throw refusal_said(end.code, replaced(end.message, check.file.string(), shown_as));
}

}  // namespace fhe::outsource
