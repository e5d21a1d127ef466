// SPDX-License-Identifier: Apache-2.0
// Tests of SECRET numbers that all primes pass, and together no composite that is known. Not
// installed.
//
// The time depends, slightly, on n, as that of GMP's own tests does; what is computed is wiped.
#pragma once

#include <cstddef>

#include "libfhe/arith/integer.hpp"

namespace fhe {

// The strong test by powers of a base (Miller 1976; Rabin 1980): with n - 1 = d 2^s, d odd, base^d
// is 1, or base^(d 2^r) is -1 for some r < s, modulo n. Requires an odd n above the base.
bool passes_power_test(const Integer& n, unsigned long base);

// The extra strong Lucas test (Grantham, Frobenius pseudoprimes, Math. Comp. 70, 2001): with the
// least P >= 3 for which D = P^2 - 4 is no square modulo n, and n + 1 = d 2^s, d odd, either
//
//   U_d = 0 and V_d = +-2,   or   V_(d 2^r) = 0 for some r < s - 1     (modulo n)
//
// for the sequences U_(k+1) = P U_k - U_(k-1), U_0 = 0, U_1 = 1, and V likewise with V_0 = 2, V_1 =
// P. Composites that pass are rare, and of another kind than those that pass tests by powers
// (Baillie, Wagstaff 1980). Half the time of GMP's up to kMostLucasBits. Requires an odd n >= 5.
inline constexpr std::size_t kMostLucasBits = 1024;
bool passes_lucas_test(const Integer& n);

}  // namespace fhe
