// SPDX-License-Identifier: Apache-2.0
// Searches for the noise of a sample: x - r for the right r is a multiple of a secret prime. All
// functions may be called by any thread, one at a time (NTL).
#pragma once

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// Multiplies x - r modulo x0 for all r, takes the gcd with x0 now and then, and looks closer where
// it is not 1: 2^(rho+1) products. Goes on until the primes of all slots are found, or to the end.
// Requires a modulus and rho <= kMostExhaustiveBits. Throws Error(invalid_argument) otherwise,
// Error(stopped).
inline constexpr std::size_t kMostExhaustiveBits = 24;
[[nodiscard]] Finding exhaustive_noise_search(const Samples& samples, const Monitor& monitor = {});

// With a modulus: the same products as values of one polynomial of degree 2^((rho+1)/2) at as many
// points (Chen, Nguyen, Eurocrypt 2012, ePrint 2011/436). Without: the gcd of the products of all
// x_1 - r and of all x_2 - r (Coron, Naccache, Tibouchi, ePrint 2011/440). Requires rho <=
// kMostSearchedBits with a modulus, kMostSecretBits and four samples without. Throws
// Error(invalid_argument) otherwise, Error(stopped).
inline constexpr std::size_t kMostSearchedBits = 32;
inline constexpr std::size_t kMostSecretBits = 16;
[[nodiscard]] Finding noise_search(const Samples& samples, const Monitor& monitor = {});

}  // namespace fhe::attack
