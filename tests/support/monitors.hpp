// SPDX-License-Identifier: Apache-2.0
// The monitors of the conformance suite, for all tests.
#pragma once

#include "apps/conformance/monitors.hpp"

namespace fhe::test {

using conformance::stopped_monitor;

}  // namespace fhe::test
