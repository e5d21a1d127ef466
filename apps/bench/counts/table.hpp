// SPDX-License-Identifier: Apache-2.0
// `fhe-bench counts`: table I of the FFT paper, counted anew.
#pragma once

namespace fhe::bench {

// Counts one modular product of 786,432 bits by each of the three methods and prints the counts
// beside the paper's, with the reasons for what differs.
void print_operation_counts();

}  // namespace fhe::bench
