// SPDX-License-Identifier: Apache-2.0
// Where tests run the command-line tool: a directory with a key pair, and what failures look like.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/cli/process.hpp"

namespace fhe::test {

using Arguments = std::vector<std::string>;

inline constexpr int kFailure = 1;
inline constexpr int kUsage = 2;
inline constexpr int kBadFile = 3;
inline constexpr int kNoise = 4;
inline constexpr int kIo = 5;
inline constexpr int kInterrupted = 130;

// A sandbox with a key pair of cnt-mini in keys/.
class Workplace : public Sandbox {
 public:
  Workplace() { succeed({"keygen", "--params", "cnt-mini", "--out", "keys"}); }

  [[nodiscard]] Outcome run(const Launch& launch) const { return Process(*this, launch).wait(); }

  Outcome succeed(const Arguments& arguments, const std::string& input = {}) const {
    Outcome outcome = run({arguments, input});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return outcome;
  }

  void encrypt(const std::string& bits, const std::string& out) const {
    succeed({"encrypt", "--key", "keys/public.fhe", "--bits", bits, "--out", out});
  }

  [[nodiscard]] std::string decrypt(const std::string& file) const {
    return succeed({"decrypt", "--key", "keys/secret.fhe", file}).out;
  }
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline bool is_error_line(const std::string& line) {
  return line.starts_with("fhe: error: ");
}

// A failure as documented: the exit code, one line of error, nothing on standard output, and not
// one file more than before.
inline void check_failure(const Workplace& place, const Launch& launch, int exit_code,
                          const std::string& part = {}) {
  const std::vector<std::string> files = place.list();
  const Outcome outcome = place.run(launch);
  INFO(outcome.err);
  CHECK(outcome.exit_code == exit_code);
  CHECK(outcome.out.empty());
  const std::vector<std::string> lines = lines_of(outcome.err);
  CHECK(std::ranges::count_if(lines, is_error_line) == 1);
  CHECK(outcome.err.ends_with('\n'));
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring(part));
  CHECK(place.list() == files);
}

inline void check_failure(const Workplace& place, const Arguments& arguments, int exit_code,
                          const std::string& part = {}) {
  check_failure(place, Launch{arguments}, exit_code, part);
}

}  // namespace fhe::test
