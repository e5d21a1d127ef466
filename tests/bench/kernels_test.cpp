// SPDX-License-Identifier: Apache-2.0
// `fhe-bench engine --kernels`: a table with every kernel of this processor.
#include <string>
#include <vector>

#include "accel/cpu/kernel.hpp"
#include "tests/catch.hpp"
#include "tests/cli/process.hpp"

namespace fhe::test {

namespace {

Outcome run_engine(const Sandbox& place, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"engine", "--kernels", "--min-time", "0"});
  Launch launch{std::move(arguments)};
  launch.program = FHE_BENCH_PATH;
  return Process(place, launch).wait();
}

}  // namespace

TEST_CASE("kernels: the table has a column for each and a row for each size", "[bench]") {
  const Sandbox place;
  const Outcome outcome = run_engine(place, {"--filter", "147456|196608"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  for (const cpu::Kernel kernel : cpu::available_kernels()) {
    CHECK_THAT(outcome.out, Catch::Matchers::ContainsSubstring(std::string(to_string(kernel))));
  }
  CHECK_THAT(outcome.out, Catch::Matchers::ContainsSubstring("147,456"));
  CHECK_THAT(outcome.out, Catch::Matchers::ContainsSubstring("196,608"));
  CHECK_THAT(outcome.out, !Catch::Matchers::ContainsSubstring("786,432"));
}

TEST_CASE("kernels: a filter that no size matches is an error", "[bench]") {
  const Sandbox place;
  const Outcome outcome = run_engine(place, {"--filter", "square"});
  CHECK(outcome.exit_code > 0);
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("no size matches"));
}

}  // namespace fhe::test
