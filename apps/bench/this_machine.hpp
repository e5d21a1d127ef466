// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/bench/results.hpp"

namespace fhe::bench {

// The one that this runs on, and the time.
Machine this_machine();

}  // namespace fhe::bench
