// SPDX-License-Identifier: Apache-2.0
// `fhe-bench threads`: how well single operations would use many threads.
#pragma once

#include <vector>

#include "apps/bench/operations.hpp"

namespace fhe::bench {

// For 1 to 64 threads: what each operation would take, estimated from its parallel loops as they
// run on one thread (libfhe/arith/thread_rehearsal.hpp); and what it takes on as many threads as
// this machine has. Each figure is the least of several runs that together take at least
// `min_seconds`. Prints a table.
void print_threads(const std::vector<Operation>& operations, double min_seconds);

}  // namespace fhe::bench
