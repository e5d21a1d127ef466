// SPDX-License-Identifier: Apache-2.0
// Ciphertexts as points near the ideal lattice of a key.
#pragma once

#include <cstddef>

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// The noise of a ciphertext c = m + 2 e(r) modulo d: a reduced basis of the w in Z^n' with w(r) = 0
// modulo d is made, and c is rounded to it (Babai 1986), which leaves m + 2 e where the basis is
// good enough.
//
// With a window n' < n the lattice is smaller. Then c r^k, whose noise is that of c rotated, is
// rounded for each k, and some rotation is right where all that is not zero fits in an arc of n' of
// the n coefficients. Requires 2 <= window <= n. One thread at a time (NTL). Throws Error(stopped).
[[nodiscard]] Finding ideal_lattice(const IdealNumbers& key, const Integer& ciphertext,
                                    std::size_t window, const Monitor& monitor = {});

}  // namespace fhe::attack
