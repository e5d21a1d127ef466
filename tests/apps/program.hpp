// SPDX-License-Identifier: Apache-2.0
// Runs the example applications the way a user does: as processes.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/cli/process.hpp"

namespace fhe::test {

using Arguments = std::vector<std::string>;

// The program of `private_search` is called fhe-private-search.
inline std::string program_of(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "fhe-" + name;
}

// How `name` ends with these arguments.
inline Outcome run_application(const std::string& name, const Arguments& arguments) {
  const Sandbox empty;
  Launch launch{arguments};
  launch.program = std::string(FHE_APPLICATIONS_DIR) + "/" + name + "/" + program_of(name);
  return Process(empty, launch).wait();
}

// It ends well, with this result, and says who did what at which cost.
inline void check_result(const std::string& name, const Arguments& arguments,
                         const std::string& result) {
  const Outcome outcome = run_application(name, arguments);
  INFO(name << ": " << outcome.out << outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, Catch::Matchers::ContainsSubstring("\nResult: " + result + "\n"));
  CHECK_THAT(outcome.out, Catch::Matchers::ContainsSubstring("The server computed"));
  CHECK_THAT(outcome.out,
             Catch::Matchers::ContainsSubstring("the plain computation gives the same"));
}

// It ends with exit code 2 and one line on standard error that holds `part`, and prints nothing
// else.
inline void check_misuse(const std::string& name, const Arguments& arguments,
                         const std::string& part) {
  const Outcome outcome = run_application(name, arguments);
  INFO(name << ": " << outcome.out << outcome.err);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Catch::Matchers::StartsWith(program_of(name) + ": error: "));
  CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring(part));
}

}  // namespace fhe::test
