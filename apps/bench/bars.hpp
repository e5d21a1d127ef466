// The goals that are set for the engine, judged by what a run has measured.
#pragma once

#include <vector>

#include "apps/bench/report.hpp"

namespace fhe::bench {

// The bars that apply to the backend of the report and whose operations it has all measured, in
// the order of the table.
std::vector<BarResult> bars_of(const Report& report);

}  // namespace fhe::bench
