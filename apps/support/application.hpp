// The frame of an example application: the options that all of them have, and the way from the
// command line to an exit code.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "libfhe/arith/registry.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe::apps {

// What the parties of an application agree on, and the arithmetic that they share in this process.
struct Setting {
  ParameterSet parameters;
  BackendPtr backend;
};

// Does `body`, which parses the command line into `options` and returns the exit code. For
// exceptions returns what the tool `fhe` returns for them (2: wrong usage), with one line on
// standard error that starts with the program's name.
int run_program(const CLI::App& options, const std::function<int()>& body) noexcept;

class Application {
 public:
  // Plays all parties, and returns whether the result is that of the plain computation.
  using Body = std::function<bool(const Setting&)>;

  // The command line `name [options]` with --params, --backend and --threads.
  Application(const std::string& name, const std::string& description);

  // For the application's own options.
  [[nodiscard]] CLI::App& options() { return options_; }

  // Parses and runs `body`. Returns 0 when that returned true, 1 when it returned false, and for
  // exceptions what run_program returns for them.
  int run(int argc, const char* const* argv, const Body& body) noexcept;

 private:
  [[nodiscard]] int parse_and_run(int argc, const char* const* argv, const Body& body);

  CLI::App options_;
  std::string parameters_ = "cnt-toy";
  std::string backend_{default_backend_name()};
  std::size_t threads_ = 0;  // 0: as many as the machine has
};

}  // namespace fhe::apps
