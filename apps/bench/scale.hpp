// SPDX-License-Identifier: Apache-2.0
// `fhe-bench scale`: how well circuits use many workers.
#pragma once

#include <string>
#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe::bench {

struct ScaleOptions {
  std::vector<std::string> circuits;  // files; empty: circuits of its own
  double most_seconds = 10;           // for each run with tasks that sleep
  double recryption_seconds = 0;      // of a recryption; 0: as it is measured
  bool on_cluster = false;            // the ranks of an MPI job instead
};

// For 1 to 1024 workers: what list scheduling makes of the circuit, with operations that take as
// long as they do here under a key of the group; what the local executor makes of it, with tasks
// that sleep so long, where that is short enough to be waited for; and what would cross between
// machines of 16 workers. Prints a table. With `json` not empty, writes JSON there after every
// circuit; "-" is standard output, in place of the table.
void measure_scale(const ParameterSet& group, const BackendPtr& backend,
                   const ScaleOptions& options, const std::string& json);

// The same by StarPU on all ranks of an MPI job, with as many workers each as there are threads:
// the time of tasks that sleep beside that of list scheduling. All ranks call it; the first one
// prints. Throws Error(unsupported) in a build without StarPU, Error(invalid_argument) without
// recryption_seconds, on which the ranks would not agree.
void measure_cluster(const ParameterSet& group, const BackendPtr& backend,
                     const ScaleOptions& options);

}  // namespace fhe::bench
