// SPDX-License-Identifier: Apache-2.0
// Runs the command-line tool, or another program, the way a user does: as a process, on files in a
// directory of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/test_files.hpp"

namespace fhe::test {

// A new directory that is removed with everything in it.
class Sandbox {
 public:
  [[nodiscard]] const std::filesystem::path& path() const { return directory_.path(); }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const {
    return directory_ / name;
  }

  // The whole contents of a file, and a file with these contents.
  [[nodiscard]] std::string read(const std::string& name) const;
  void write(const std::string& name, const std::string& contents) const;

  // Relative paths of everything inside, sorted.
  [[nodiscard]] std::vector<std::string> list() const;

 private:
  TemporaryDirectory directory_;
};

struct Launch {
  std::vector<std::string> arguments;
  std::string input = {};                                // what standard input holds
  std::optional<std::string> standard_output = {};       // a file instead of the capture
  std::optional<std::uint64_t> largest_file_bytes = {};  // a limit, as of a full disk
  std::optional<std::uint64_t> most_open_files = {};     // a limit
  std::string program = FHE_CLI_PATH;
  std::vector<std::string> environment = {};  // NAME=VALUE, added to the environment of the tests
  std::optional<std::string> standard_input = {};  // a file to read instead of `input`
  // Of the process, and its standard error: no capture. It may be a pipe, too.
  std::optional<std::string> terminal = {};
};

struct Outcome {
  int exit_code = -1;  // -1 when a signal ended the process
  std::string out;
  std::string err;
  int signal = 0;  // that ended the process
};

// A running `fhe`, or other program, whose working directory is the sandbox.
class Process {
 public:
  Process(const Sandbox& sandbox, const Launch& launch);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  void send(int signal) const;
  [[nodiscard]] std::string error_output() const;  // so far
  [[nodiscard]] bool running();
  // Waits for the end that long at most; returns whether it came.
  [[nodiscard]] bool ends_within(std::chrono::milliseconds time);

  // Waits for the end.
  Outcome wait();

 private:
  Sandbox capture_;
  pid_t id_ = -1;
  std::optional<int> status_;
};

}  // namespace fhe::test
