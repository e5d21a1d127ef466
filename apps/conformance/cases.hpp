// SPDX-License-Identifier: Apache-2.0
// The cases of the suite, by subject; each list stands in the file of its name.
#pragma once

#include <vector>

#include "apps/conformance/suite.hpp"

namespace fhe::conformance {

std::vector<Case> multiply_cases();
std::vector<Case> ring_cases();
std::vector<Case> weighted_sums_cases();
std::vector<Case> selected_sums_cases();
std::vector<Case> windows_cases();
std::vector<Case> recryption_cases();
std::vector<Case> residues_cases();
std::vector<Case> fermat_cases();
std::vector<Case> monitor_cases();

// Those that must be the last: the backend is given up.
std::vector<Case> lifetime_cases();

}  // namespace fhe::conformance
