#include "apps/outsource/server/worker.hpp"

#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

#include "apps/outsource/child_process.hpp"

namespace fhe::outsource {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook(50);    // how often the stop token is looked at
constexpr std::chrono::seconds kLastWarning(10);  // from being told to stop to being killed
constexpr std::size_t kLongestLine = 64 * 1024;

std::vector<std::string> arguments_of(const std::filesystem::path& program, const Work& work) {
  std::vector<std::string> arguments{program.string(), "work",
                                     "--key",          work.key.string(),
                                     "--circuit",      work.circuit.string(),
                                     "--result",       work.result.string(),
                                     "--checkpoint",   work.checkpoint.string(),
                                     "--memory",       fmt::format("{}", work.memory_mib),
                                     "--threads",      fmt::format("{}", work.threads),
                                     "--backend",      work.backend};
  for (const std::filesystem::path& input : work.inputs) {
    arguments.insert(arguments.end(), {"--input", input.string()});
  }
  return arguments;
}

// Collects the worker's lines and what they say.
class Listener {
 public:
  Listener(WorkerEnd& end, const std::function<void(double)>& progress)
      : end_(end), progress_(progress) {}

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
    if (json.contains("fraction")) {
      progress_(json.value("fraction", 0.0));
    } else if (json.contains("error")) {
      end_.error = json["error"].value("message", std::string());
    } else {
      end_.summary = json;
    }
  }

  WorkerEnd& end_;
  const std::function<void(double)>& progress_;
  std::string line_;
};

// Tells the worker to end, when it has to, and later by force.
class Stopper {
 public:
  Stopper(const ChildProcess& worker, std::stop_token stop, std::chrono::seconds most_time)
      : worker_(worker), stop_(std::move(stop)), most_time_(most_time) {}

  [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }
  [[nodiscard]] bool too_late() const { return Clock::now() - start_ >= most_time_; }

  void look() {
    if (!stopped() && !too_late()) return;
    if (!told_) deadline_ = Clock::now() + kLastWarning;
    const bool by_force = Clock::now() >= deadline_;
    if (by_force || !told_) worker_.send(by_force ? SIGKILL : SIGTERM);
    told_ = true;
  }

 private:
  const ChildProcess& worker_;
  const std::stop_token stop_;
  const std::chrono::seconds most_time_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point deadline_;
  bool told_ = false;
};

void judge(WorkerEnd& end, int status, const Stopper& stopper) {
  end.done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (end.done) return;
  end.stopped = stopper.stopped();
  if (stopper.too_late()) {
    end.error = "the job took longer than this server allows: split the circuit";
  } else if (WIFSIGNALED(status)) {
    end.error = fmt::format(
        "the process that ran the job was ended by signal {} ({}); if that was for want of memory, "
        "take a smaller circuit or key",
        WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else if (end.error.empty()) {
    end.error = "the process that ran the job failed without a word";
  }
}

}  // namespace

WorkerEnd run_worker(const std::filesystem::path& program, const Work& work,
                     std::chrono::seconds most_time, const std::stop_token& stop,
                     const std::function<void(double)>& progress) {
  ChildProcess worker(arguments_of(program, work));
  WorkerEnd end;
  Listener listener(end, progress);
  Stopper stopper(worker, stop, most_time);
  while (const std::optional<std::string> text = worker.read(kLook)) {
    listener.hear(*text);
    stopper.look();
  }
  judge(end, worker.wait(), stopper);
  return end;
}

}  // namespace fhe::outsource
