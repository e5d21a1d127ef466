// SPDX-License-Identifier: Apache-2.0
// The machine that a benchmark ran on.
#pragma once

#include <string>

namespace fhe::bench {

struct Machine {
  std::string processor;  // as the system names it
  unsigned cores;
  std::string compiler;
  std::string date;  // UTC, ISO 8601

  friend bool operator==(const Machine&, const Machine&) = default;
};

}  // namespace fhe::bench
