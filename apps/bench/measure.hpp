// SPDX-License-Identifier: Apache-2.0
// Measuring operations with Google Benchmark.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/bench/operations.hpp"
#include "apps/bench/results.hpp"

namespace fhe::bench {

// What a run is called: the name of a group, or "engine", and the backend as it was asked for.
struct Subject {
  std::string group;
  std::string backend;
};

// Runs every operation for at least `min_seconds`, or once if that takes longer. After each it
// calls `keep` with what was measured so far, and then says on standard error how long the
// operation took. `backend` is the one that the operations use. One call at a time.
Run measure(const Subject& subject, const Backend& backend,
            const std::vector<Operation>& operations, double min_seconds,
            const std::function<void(const Run&)>& keep);

}  // namespace fhe::bench
