// SPDX-License-Identifier: Apache-2.0
// Monitors for tests of stopping.
#pragma once

#include <stop_token>

#include "libfhe/monitor.hpp"

namespace fhe::test {

// One whose stop was requested before the call that gets it.
inline Monitor stopped_monitor() {
  std::stop_source source;
  source.request_stop();
  Monitor monitor;
  monitor.stop = source.get_token();
  return monitor;
}

}  // namespace fhe::test
