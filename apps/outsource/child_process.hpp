// Another process of this program, and what it prints.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace fhe::outsource {

// The file of the program that runs.
[[nodiscard]] std::filesystem::path this_program();

// Has this process told to end, by SIGTERM, when the thread that started it does.
void end_with_parent();

// One thread at a time. A process that still runs is killed with the object.
class ChildProcess {
 public:
  // Starts a program, arguments[0], with nothing to read, no signal blocked and a process group of
  // its own: an interrupt from the terminal is for its parent. Throws Error(io).
  explicit ChildProcess(std::vector<std::string> arguments);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // What it printed since, after waiting for it: "" when the time is over, none when it has closed
  // its standard output, which is when it ends.
  [[nodiscard]] std::optional<std::string> read(std::chrono::milliseconds most_time);

  void send(int signal) const;

  // Waits for the end; returns the status as waitpid does.
  int wait();

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

}  // namespace fhe::outsource
