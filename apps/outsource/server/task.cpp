// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/task.hpp"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

#include "apps/support/failure.hpp"

namespace fhe::outsource {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook(50);    // how often the stop token is looked at
constexpr std::chrono::seconds kLastWarning(10);  // from being told to stop to being killed
constexpr std::size_t kLongestLine = 1024 * 1024;

// Collects lines: errors, and what is for others.
class Listener {
 public:
  Listener(TaskEnd& end, const std::function<void(const Json&)>& hear) : end_(end), hear_(hear) {}

  void hear(std::string_view text) {
    for (const char c : text) {
      if (c == '\n') {
        understand(std::exchange(line_, {}));
      } else if (line_.size() < kLongestLine) {
        line_.push_back(c);
      }
    }
  }

 private:
  void understand(const std::string& line) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) return;
    if (!json.contains("error")) return hear_(json);
    end_.code = text_of(json["error"], "code");
    end_.message = text_of(json["error"], "message");
  }

  static std::string text_of(const Json& json, const char* name) {
    const bool is_there = json.is_object() && json.contains(name) && json[name].is_string();
    return is_there ? json[name].get<std::string>() : "";
  }

  TaskEnd& end_;
  const std::function<void(const Json&)>& hear_;
  std::string line_;
};

// Tells the process to end, when it has to, and later by force.
class Stopper {
 public:
  Stopper(const apps::ChildProcess& process, std::stop_token stop, std::chrono::seconds most_time)
      : process_(process), stop_(std::move(stop)), most_time_(most_time) {}

  [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }
  [[nodiscard]] bool too_late() const { return Clock::now() - start_ >= most_time_; }

  void look() {
    if (!stopped() && !too_late()) return;
    if (!told_) deadline_ = Clock::now() + kLastWarning;
    const bool by_force = Clock::now() >= deadline_;
    if (by_force || !told_) process_.send(by_force ? SIGKILL : SIGTERM);
    told_ = true;
  }

 private:
  const apps::ChildProcess& process_;
  const std::stop_token stop_;
  const std::chrono::seconds most_time_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point deadline_;
  bool told_ = false;
};

// GMP gives up by abort() when there is no memory, and the system by SIGKILL.
TaskEnd ended_by(int signal) {
  if (signal == SIGXCPU) return {TaskFate::too_long, {}, {}};
  const bool memory = signal == SIGKILL || signal == SIGABRT;
  return {TaskFate::died, memory ? std::string(to_string(ErrorCode::out_of_memory)) : "internal",
          fmt::format("its process was ended by {}{}", apps::description_of_end(signal),
                      memory ? ", most likely for want of memory" : "")};
}

void judge(TaskEnd& end, int status, const Stopper& stopper) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    end.fate = TaskFate::done;
  } else if (stopper.stopped()) {
    end.fate = TaskFate::stopped;
  } else if (stopper.too_late()) {
    end.fate = TaskFate::too_long;
  } else if (WIFSIGNALED(status)) {
    end = ended_by(WTERMSIG(status));
  } else if (end.code.empty()) {
    end = {TaskFate::died, "internal", "its process ended without a word"};
  } else {
    const bool ended = end.lacked_memory() || end.code == to_string(ErrorCode::stopped);
    end.fate = ended ? TaskFate::died : fate_of(refusal_said(end.code, end.message));
    if (end.lacked_memory()) end.message = "its process had no memory left";
  }
}

}  // namespace

TaskFate fate_of(const Refusal& refusal) {
  return is_passing(refusal) ? TaskFate::not_now : TaskFate::refused;
}

TaskEnd run_task(std::vector<std::string> arguments, std::chrono::seconds most_time,
                 const std::stop_token& stop, const std::function<void(const Json&)>& hear) {
  apps::ChildProcess process(std::move(arguments));
  TaskEnd end;
  Listener listener(end, hear);
  Stopper stopper(process, stop, most_time);
  while (const std::optional<std::string> text = process.read(kLook)) {
    listener.hear(*text);
    stopper.look();
  }
  judge(end, process.wait(), stopper);
  return end;
}

int do_task(const apps::ProcessLimits& limits, const std::function<void()>& body) {
  apps::end_with_parent();  // nobody would read the result
  apps::limit_this_process(limits);
  try {
    body();
    return static_cast<int>(apps::ExitCode::success);
  } catch (...) {
    const apps::Failure failure = apps::describe(std::current_exception());
    say(error_json(failure.code, failure.message));
    return static_cast<int>(failure.exit_code);
  }
}

void say(const Json& json) {
  std::puts(to_text(json).c_str());
  std::fflush(stdout);
}

}  // namespace fhe::outsource
