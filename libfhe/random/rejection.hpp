// SPDX-License-Identifier: Apache-2.0
// When samplers by rejection give up. Not installed.
#pragma once

#include "libfhe/error.hpp"

namespace fhe {

// They keep at least every second draw: a working source gives this many that they cannot keep with
// probability 2^-256 or less.
inline constexpr int kMaxRejections = 256;

// The Error(randomness) to throw after them.
[[nodiscard]] Error stuck_randomness();

}  // namespace fhe
