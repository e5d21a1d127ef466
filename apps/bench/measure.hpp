// SPDX-License-Identifier: Apache-2.0
// Measuring operations with Google Benchmark.
#pragma once

#include <string>
#include <vector>

#include "apps/bench/operations.hpp"
#include "apps/study/run.hpp"

namespace fhe::bench {

// What a run is called: the name of a group, or "engine", and the backend as it was asked for.
struct Subject {
  std::string group;
  std::string backend;
};

// Runs every operation for at least `min_seconds`, or once if that takes longer, and says on
// standard error how long each took. `backend` is the one that the operations use. One call at a
// time.
Run measure(const Subject& subject, const Backend& backend,
            const std::vector<Operation>& operations, double min_seconds);

}  // namespace fhe::bench
