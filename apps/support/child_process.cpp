// SPDX-License-Identifier: Apache-2.0
#include "apps/support/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libfhe/error.hpp"

namespace fhe::apps {

namespace {

#ifdef FHE_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr int kFirstOtherFile = STDERR_FILENO + 1;

// Whether a new process gets this "NAME=value".
bool is_passed_on(std::string_view variable) {
  constexpr std::array kNames{
      "LD_LIBRARY_PATH=", "PATH=",         "TMPDIR=",        "TZ=", "ASAN_OPTIONS=",
      "LSAN_OPTIONS=",    "TSAN_OPTIONS=", "UBSAN_OPTIONS=", "FHE_"};
  return std::ranges::any_of(kNames, [&](const char* name) { return variable.starts_with(name); });
}

std::vector<char*> environment_of(Variables wanted) {
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (wanted == Variables::all || is_passed_on(*variable)) variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  return variables;
}

// Never raises what is set already. A limit that cannot be set is no reason to fail: the others
// hold, and the server watches the process.
void limit(auto resource, rlim_t most, rlim_t most_hard) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return;
  now.rlim_max = std::min(now.rlim_max, most_hard);
  now.rlim_cur = std::min({now.rlim_cur, most, now.rlim_max});
  static_cast<void>(::setrlimit(resource, &now));
}

// The attributes of the new process.
class SpawnPlan {
 public:
  explicit SpawnPlan(int output) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files_, kFirstOtherFile);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // 0 or the system's error number.
  [[nodiscard]] int start(std::vector<std::string>& arguments, Variables variables,
                          pid_t& process) const {
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    return posix_spawn(&process, pointers.front(), &files_, &attributes_, pointers.data(),
                       environment_of(variables).data());
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

Error cannot_start(int reason) {
  return {ErrorCode::io, fmt::format("cannot start a process: {}", std::strerror(reason))};
}

}  // namespace

std::filesystem::path this_program() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

void end_with_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
}

std::string description_of_end(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

void limit_this_process(const ProcessLimits& limits) {
  constexpr std::uint64_t kLastWarning = 5;  // from SIGXCPU to SIGKILL
  limit(RLIMIT_CORE, 0, 0);
  if (limits.cpu_seconds > 0) {
    limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + kLastWarning);
  }
  if (limits.memory_mib == 0 || kSanitized) return;
  limit(RLIMIT_AS, limits.memory_mib << 20, limits.memory_mib << 20);
}

ChildProcess::ChildProcess(std::vector<std::string> arguments, Variables variables) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw cannot_start(errno);
  output_ = ends[0];
  const int reason = SpawnPlan(ends[1]).start(arguments, variables, process_);
  ::close(ends[1]);
  if (reason == 0) return;
  ::close(output_);
  throw cannot_start(reason);
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) {
    send(SIGKILL);
    wait();
  }
  ::close(output_);
}

std::optional<std::string> ChildProcess::read(std::chrono::milliseconds most_time) {
  pollfd entry{output_, POLLIN, 0};
  if (::poll(&entry, 1, static_cast<int>(most_time.count())) <= 0) return "";
  std::array<char, 4096> buffer{};
  const ssize_t bytes = ::read(output_, buffer.data(), buffer.size());
  if (bytes < 0 && errno == EINTR) return "";
  if (bytes <= 0) return std::nullopt;
  return std::string(buffer.data(), static_cast<std::size_t>(bytes));
}

void ChildProcess::send(int signal) const {
  ::kill(process_, signal);
}

int ChildProcess::wait() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

}  // namespace fhe::apps
