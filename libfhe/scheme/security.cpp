// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/security.hpp"

#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe {

std::optional<security::Estimate> estimate_of(const ParameterSet& group,
                                              const security::Published& published) {
  return reporting_memory([&]() -> std::optional<security::Estimate> {
    if (!group.makes_keys()) return std::nullopt;
    return security::estimate(scheme_named(group.scheme()).problems(group), published);
  });
}

}  // namespace fhe
