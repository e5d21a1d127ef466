// SPDX-License-Identifier: Apache-2.0
// Monitors that stop the call that gets them.
#pragma once

#include <stop_token>
#include <string_view>

#include "libfhe/monitor.hpp"

namespace fhe::conformance {

// One whose stop was requested before the call that gets it.
inline Monitor stopped_monitor() {
  std::stop_source source;
  source.request_stop();
  Monitor monitor;
  monitor.stop = source.get_token();
  return monitor;
}

// One that stops the call by its first progress report that is not the initial one.
inline Monitor stopping_midway(std::stop_source& source) {
  Monitor monitor;
  monitor.stop = source.get_token();
  monitor.progress = [&source](std::string_view, double fraction) {
    if (fraction > 0) source.request_stop();
  };
  return monitor;
}

}  // namespace fhe::conformance
