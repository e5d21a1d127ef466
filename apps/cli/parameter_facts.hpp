// What is said about a parameter group wherever one is named.
#pragma once

#include <string>

#include "apps/cli/output.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe::cli {

// "scheme" or "benchmark".
std::string purpose(const ParameterSet& group);

// The estimated security: "58 bits" or "unknown"; as JSON a number or null.
std::string security_text(const ParameterSet& group);
Json security_json(const ParameterSet& group);

}  // namespace fhe::cli
