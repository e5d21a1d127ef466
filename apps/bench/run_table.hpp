// SPDX-License-Identifier: Apache-2.0
// A run as a table for people.
#pragma once

#include "apps/bench/results.hpp"

namespace fhe::bench {

// Prints to standard output.
void print_table(const Run& run);

}  // namespace fhe::bench
