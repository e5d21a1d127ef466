// SPDX-License-Identifier: Apache-2.0
// The frame of an example application: the options that all of them have.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "apps/support/arguments.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe::apps {

// What the parties of an application agree on, and the arithmetic that they share in this process.
struct Setting {
  ParameterSet parameters;
  BackendPtr backend;
};

// How many bits a ciphertext holds.
[[nodiscard]] std::size_t slots_of(const Setting& setting);

class Application {
 public:
  // Plays all parties, and returns whether the result is that of the plain computation.
  using Body = std::function<bool(const Setting&)>;

  // The command line `name [options]` with --params, --backend and --threads.
  Application(const std::string& name, const std::string& description);

  // For the application's own options.
  [[nodiscard]] const Command& options() const { return options_; }

  // Parses and runs `body`. Returns 0 when that returned true, 1 when it returned false, and for
  // exceptions what run_program returns for them; a signal ends the program at once.
  int run(int argc, const char* const* argv, const Body& body) noexcept;

 private:
  [[nodiscard]] int play(const Body& body) const;

  Arguments options_;
  std::string parameters_ = "cnt-toy";
  std::string backend_{default_backend_name()};
  std::size_t threads_ = 0;  // 0: as many as the machine has
};

}  // namespace fhe::apps
