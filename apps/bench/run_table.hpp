// SPDX-License-Identifier: Apache-2.0
// A run as a table for people, with the published figures beside ours.
#pragma once

#include "apps/study/run.hpp"

namespace fhe::bench {

// Prints to standard output.
void print_table(const Run& run);

}  // namespace fhe::bench
