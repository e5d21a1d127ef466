// SPDX-License-Identifier: Apache-2.0
// The goals that are set for the engine, judged by what a run has measured.
#pragma once

#include <vector>

#include "apps/study/run.hpp"

namespace fhe::bench {

// The bars that apply to the backend of the run and whose operations it has all measured, in
// the order of the table.
std::vector<BarResult> bars_of(const Run& run);

}  // namespace fhe::bench
