// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/process.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fhe::test {

namespace {

namespace fs = std::filesystem;

constexpr int kCannotStart = 126;
constexpr mode_t kMode = 0600;

std::string contents_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path.string());
  std::ostringstream contents;
  contents << in.rdbuf();
  return contents.str();
}

// What the child needs, made before fork: after it only async-signal-safe calls are allowed.
struct ChildPlan {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* directory;
  const char* input;
  const char* output;
  const char* errors;
  rlimit file_limit;
  rlimit open_files_limit;
  bool has_terminal;  // errors
};

void redirect(const char* path, int flags, int descriptor) {
  const int file = open(path, flags, kMode);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(kCannotStart);
  close(file);
}

[[noreturn]] void become_program(const ChildPlan& plan) {
  static_cast<void>(signal(SIGHUP, SIG_DFL));  // which the tests may be run without
  redirect(plan.input, O_RDONLY, STDIN_FILENO);
  redirect(plan.output, O_WRONLY | O_CREAT, STDOUT_FILENO);
  if (plan.has_terminal) setsid();  // has none until it opens its own
  redirect(plan.errors, O_RDWR | O_CREAT, STDERR_FILENO);
  if (chdir(plan.directory) != 0) _exit(kCannotStart);
  if (setrlimit(RLIMIT_FSIZE, &plan.file_limit) != 0) _exit(kCannotStart);
  if (setrlimit(RLIMIT_NOFILE, &plan.open_files_limit) != 0) _exit(kCannotStart);
  execve(plan.arguments.front(), plan.arguments.data(), plan.environment.data());
  _exit(kCannotStart);
}

rlimit file_limit(const std::optional<std::uint64_t>& bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  if (bytes) limit.rlim_cur = *bytes;
  return limit;
}

rlimit open_files_limit(const std::optional<std::uint64_t>& most) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (most) limit = {.rlim_cur = *most, .rlim_max = *most};
  return limit;
}

}  // namespace

std::string Sandbox::read(const std::string& name) const {
  return contents_of(file(name));
}

void Sandbox::write(const std::string& name, const std::string& contents) const {
  std::ofstream(file(name), std::ios::binary) << contents;
}

std::vector<std::string> Sandbox::list() const {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path())) {
    names.push_back(entry.path().lexically_relative(path()).string());
  }
  std::ranges::sort(names);
  return names;
}

Process::Process(const Sandbox& sandbox, const Launch& launch) {
  capture_.write("in", launch.input);
  const std::string input = launch.standard_input.value_or(capture_.file("in").string());
  const std::string output = launch.standard_output.value_or(capture_.file("out").string());
  const std::string errors = launch.terminal.value_or(capture_.file("err").string());
  std::vector<std::string> arguments = launch.arguments;
  arguments.insert(arguments.begin(), launch.program);
  std::vector<std::string> environment = launch.environment;
  ChildPlan plan{{},
                 {},
                 sandbox.path().c_str(),
                 input.c_str(),
                 output.c_str(),
                 errors.c_str(),
                 file_limit(launch.largest_file_bytes),
                 open_files_limit(launch.most_open_files),
                 launch.terminal.has_value()};
  for (std::string& argument : arguments) plan.arguments.push_back(argument.data());
  plan.arguments.push_back(nullptr);
  for (std::string& variable : environment) plan.environment.push_back(variable.data());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    plan.environment.push_back(*variable);
  }
  plan.environment.push_back(nullptr);
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("cannot fork");
  if (id_ == 0) become_program(plan);
}

Process::~Process() {
  if (!running()) return;
  send(SIGKILL);
  waitpid(id_, nullptr, 0);
}

void Process::send(int signal) const {
  kill(id_, signal);
}

std::string Process::error_output() const {
  return fs::exists(capture_.file("err")) ? capture_.read("err") : "";
}

bool Process::running() {
  int status = 0;
  if (!status_ && waitpid(id_, &status, WNOHANG) == id_) status_ = status;
  return !status_;
}

bool Process::ends_within(std::chrono::milliseconds time) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLook(1);
  const Clock::time_point deadline = Clock::now() + time;
  while (running() && Clock::now() < deadline) std::this_thread::sleep_for(kLook);
  return !running();
}

Outcome Process::wait() {
  int status = status_.value_or(0);
  if (!status_ && waitpid(id_, &status, 0) != id_) throw std::runtime_error("cannot wait");
  status_ = status;
  const bool captured = fs::exists(capture_.file("out"));
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, captured ? capture_.read("out") : "",
          error_output(), WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

}  // namespace fhe::test
