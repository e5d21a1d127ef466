// Options that take numbers. CLI11 itself would read -1 as a huge number, and 010 as 8.
#pragma once

#include <cstdint>

#include <CLI/CLI.hpp>

namespace fhe::apps {

// Lets pass the decimal digits of numbers in [0, most] without leading zeros, and nothing else.
[[nodiscard]] CLI::Validator decimal_number(std::uint64_t most = UINT64_MAX);

}  // namespace fhe::apps
