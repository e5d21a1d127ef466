// SPDX-License-Identifier: Apache-2.0
// The noise of a ciphertext of an ideal, by halves.
#pragma once

#include <cstddef>

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// The e of c = m + 2 e(r) modulo d: lists all that half of its nonzeros can be in either half of
// the coefficients, and looks for two that fit. In one of the rotations c r^k the nonzeros are
// parted like that: a window of n/2 coefficients that moves on by one gains or loses one at most,
// and after n/2 moves it has what it had not. Sees the bit, and no key (Gentry, Halevi, Eurocrypt
// 2011).
//
// Requires an even n <= kMostHalved, and at most 2^kMostListBits choices in a half (meeting.hpp).
// Throws Error(invalid_argument) otherwise, Error(stopped).
inline constexpr std::size_t kMostHalved = 64;
[[nodiscard]] Finding ideal_noise_meet(const IdealNumbers& key, const Integer& ciphertext,
                                       const Monitor& monitor = {});

}  // namespace fhe::attack
