// SPDX-License-Identifier: Apache-2.0
// Sizes and noise of a group, measured.
#pragma once

#include <filesystem>

#include "apps/bench/results.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe::bench {

// Makes a key pair and measures. `scratch` is an existing directory, where the keys are written to
// and removed again; it needs room for them. Throws Error.
GroupFacts measure_facts(const ParameterSet& group, const BackendPtr& backend,
                         const std::filesystem::path& scratch);

}  // namespace fhe::bench
