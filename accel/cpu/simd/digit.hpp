// SPDX-License-Identifier: Apache-2.0
// The digits into which vector passes part integers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fhe::cpu {

inline constexpr std::size_t kDigitBits = 52;  // of a word that IFMA multiplies
inline constexpr std::uint64_t kDigitMask = (std::uint64_t{1} << kDigitBits) - 1;

}  // namespace fhe::cpu
