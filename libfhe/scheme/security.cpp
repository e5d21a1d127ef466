// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/security.hpp"

#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe {

std::optional<security::Estimate> estimate_of(const ParameterSet& group,
                                              const security::Published& published) {
  return reporting_memory([&]() -> std::optional<security::Estimate> {
    if (group.purpose() == GroupPurpose::benchmark) return std::nullopt;
    return security::estimate(group_rules(group.scheme()).problems(group), published);
  });
}

}  // namespace fhe
