// SPDX-License-Identifier: Apache-2.0
// What a check of keys found.
#pragma once

#include <string>
#include <vector>

#include "libfhe/scheme/check.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

// The names of what failed, with "; " behind each.
inline std::string failures(const std::vector<KeyFinding>& findings) {
  std::string names;
  for (const KeyFinding& finding : findings) {
    CHECK_FALSE(finding.detail.empty());
    if (!finding.passed) names += finding.what + "; ";
  }
  return names;
}

}  // namespace fhe::test
