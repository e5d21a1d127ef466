// SPDX-License-Identifier: Apache-2.0
// What the known attacks cost against keys and ciphertexts of a parameter group.
#pragma once

#include <optional>

#include "libfhe/export.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/security/estimate.hpp"

namespace fhe {

// The estimate for a group, from its numbers alone: whatever its file says about security is not
// looked at. Nothing for a group that makes no keys. Takes milliseconds. Any thread may call it.
// Throws Error(out_of_memory).
[[nodiscard]] FHE_EXPORT std::optional<security::Estimate> estimate_of(
    const ParameterSet& group, const security::Published& published = {});

}  // namespace fhe
