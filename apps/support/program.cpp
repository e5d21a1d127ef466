// SPDX-License-Identifier: Apache-2.0
#include "apps/support/program.hpp"

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "apps/support/failure.hpp"

namespace fhe::apps {

int run_program(Arguments& arguments, int argc, const char* const* argv,
                const std::function<int()>& body) noexcept {
  try {
    if (const std::optional<std::string> answer = arguments.parse(argc, argv)) {
      fmt::print("{}", *answer);
      return 0;
    }
    return body();
  } catch (...) {
    const Failure failure = describe(std::current_exception());
    fmt::print(stderr, "{}: error: {}\n", arguments.program(), failure.message);
    return static_cast<int>(failure.exit_code);
  }
}

}  // namespace fhe::apps
