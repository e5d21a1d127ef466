// SPDX-License-Identifier: Apache-2.0
// The monitors of the conformance suite, for all tests.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "apps/conformance/monitors.hpp"
#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

using conformance::stopped_monitor;

// A call that takes a monitor reports these phases, the last to its end, and can be stopped at the
// start of each.
template <class Call>
void check_phases(const Call& call, const std::vector<std::string>& expected) {
  std::vector<std::string> phases;
  double last = 0;
  Monitor watching;
  watching.progress = [&](std::string_view phase, double fraction) {
    CHECK((fraction >= 0.0 && fraction <= 1.0));
    if (fraction == 0.0) phases.emplace_back(phase);
    last = fraction;
  };
  call(watching);
  CHECK(phases == expected);
  CHECK(last == 1.0);
  for (const std::string& wanted : phases) {
    std::stop_source source;
    Monitor stopping;
    stopping.stop = source.get_token();
    stopping.progress = [&](std::string_view phase, double) {
      if (phase == wanted) source.request_stop();
    };
    CHECK_THROWS_MATCHES(call(stopping), Error, HasCode(ErrorCode::stopped));
  }
}

}  // namespace fhe::test
