// SPDX-License-Identifier: Apache-2.0
// Numbers modulo Q. Not installed.
#pragma once

#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "libfhe/arith/integer.hpp"
#include "libfhe/error.hpp"

namespace fhe::she {

inline Integer to_integer(std::uint64_t value) {
  return Integer(static_cast<unsigned long>(value));
}

// Throws Error(invalid_argument) unless all are below the modulus; names none of them.
inline void require_below(std::span<const std::uint64_t> numbers, std::uint64_t modulus) {
  for (const std::uint64_t number : numbers) {
    if (number < modulus) continue;
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("a number is not below the plaintext modulus {} of the group", modulus));
  }
}

}  // namespace fhe::she
