// SPDX-License-Identifier: Apache-2.0
#include "libfhe/monitor.hpp"

#include <algorithm>
#include <atomic>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

struct Report {
  std::string phase;
  double fraction;
};

Monitor recording(std::vector<Report>& reports) {
  Monitor monitor;
  monitor.progress = [&reports](std::string_view phase, double fraction) {
    reports.push_back({std::string(phase), fraction});
  };
  return monitor;
}

}  // namespace

TEST_CASE("a monitor that watches nothing lets everything pass", "[monitor]") {
  const Monitor monitor;
  CHECK_NOTHROW(monitor.throw_if_stopped());
  Progress progress(monitor, "phase", 3);
  CHECK_NOTHROW(progress.advance(3));
}

TEST_CASE("progress runs from 0 to 1 in the steps done", "[monitor]") {
  std::vector<Report> reports;
  const Monitor monitor = recording(reports);
  Progress progress(monitor, "public key", 4);
  progress.advance();
  progress.advance(2);
  progress.advance();
  REQUIRE(reports.size() == 4);
  CHECK(reports[0].fraction == 0.0);
  CHECK(reports[1].fraction == 0.25);
  CHECK(reports[2].fraction == 0.75);
  CHECK(reports[3].fraction == 1.0);
  for (const Report& report : reports) CHECK(report.phase == "public key");
}

TEST_CASE("a phase of no steps is allowed", "[monitor]") {
  std::vector<Report> reports;
  const Monitor monitor = recording(reports);
  Progress progress(monitor, "nothing", 0);
  CHECK_NOTHROW(progress.advance(0));
  for (const Report& report : reports) {
    CHECK(report.fraction >= 0.0);
    CHECK(report.fraction <= 1.0);
  }
}

TEST_CASE("a stop request ends the call at the next checkpoint", "[monitor]") {
  std::stop_source source;
  Monitor monitor;
  monitor.stop = source.get_token();
  Progress progress(monitor, "phase", 10);
  CHECK_NOTHROW(progress.advance());
  source.request_stop();
  CHECK_THROWS_MATCHES(monitor.throw_if_stopped(), Error, HasCode(ErrorCode::stopped));
  CHECK_THROWS_MATCHES(progress.advance(), Error, HasCode(ErrorCode::stopped));
}

TEST_CASE("progress is never reported by two threads at a time and ends at 1", "[monitor]") {
  constexpr std::size_t kSteps = 2000;
  std::atomic<int> reporting = 0;
  std::atomic<bool> overlapped = false;
  double largest = -1.0;
  Monitor monitor;
  monitor.progress = [&](std::string_view, double fraction) {
    if (reporting.fetch_add(1) != 0) overlapped = true;
    largest = std::max(largest, fraction);
    reporting.fetch_sub(1);
  };
  Progress progress(monitor, "phase", kSteps);
  parallel_for(kSteps, [&](std::size_t) { progress.advance(); });
  CHECK_FALSE(overlapped);
  CHECK(largest == 1.0);
}

TEST_CASE("every error code has a name of its own", "[monitor]") {
  CHECK(to_string(ErrorCode::invalid_argument) == "invalid_argument");
  CHECK(to_string(ErrorCode::invalid_parameters) == "invalid_parameters");
  CHECK(to_string(ErrorCode::unknown_name) == "unknown_name");
  CHECK(to_string(ErrorCode::noise_exceeded) == "noise_exceeded");
  CHECK(to_string(ErrorCode::wrong_key) == "wrong_key");
  CHECK(to_string(ErrorCode::malformed_file) == "malformed_file");
  CHECK(to_string(ErrorCode::io) == "io");
  CHECK(to_string(ErrorCode::unsupported) == "unsupported");
  CHECK(to_string(ErrorCode::stopped) == "stopped");
  CHECK(to_string(ErrorCode::randomness) == "randomness");
  CHECK(to_string(ErrorCode::out_of_memory) == "out_of_memory");
  CHECK(to_string(ErrorCode::wrong_result) == "wrong_result");
}

}  // namespace fhe::test
