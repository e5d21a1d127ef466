// SPDX-License-Identifier: Apache-2.0
// Another process of this program, and what it prints.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace fhe::apps {

// The file of the program that runs.
[[nodiscard]] std::filesystem::path this_program();

// Has this process told to end, by SIGTERM, when the thread that started it does.
void end_with_parent();

// How a process ended that has this status of waitpid: "signal 11 (Segmentation fault)" or "exit
// code 3".
[[nodiscard]] std::string description_of_end(int status);

// What a process may use; 0: no limit of ours.
struct ProcessLimits {
  std::uint64_t memory_mib = 0;   // MiB of address space
  std::uint64_t cpu_seconds = 0;  // of all its threads together
};

// Limits this process, unless it is limited more already, and lets it leave no core dump. Address
// space is not limited in builds with a sanitizer, which reserves terabytes of it.
void limit_this_process(const ProcessLimits& limits);

// Which variables of the environment a new process gets: what programs and libraries need to start
// (where libraries and temporary files are, the time zone, settings of fhe and of sanitizers), or
// all.
enum class Variables { needed, all };

// One thread at a time. A process that still runs is killed with the object.
class ChildProcess {
 public:
  // Starts a program, arguments[0], with nothing to read, no open file but the standard ones, no
  // signal blocked or ignored, and a process group of its own (an interrupt from the terminal is
  // for its parent). Throws Error(io).
  explicit ChildProcess(std::vector<std::string> arguments,
                        Variables variables = Variables::needed);
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

}  // namespace fhe::apps
