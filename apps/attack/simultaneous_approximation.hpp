// SPDX-License-Identifier: Apache-2.0
// Samples with approximate common divisors as numbers that have close approximations with one
// denominator.
#pragma once

#include <cstddef>

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// From `count` samples x_i = q_i p + r_i: since q_i / q_0 is close to x_i / x_0, for all i at once,
//
//   (q_0 2^rho, q_0 x_1 - q_1 x_0, q_0 x_2 - q_2 x_0, ...)
//
// is a short vector of a lattice of `count` dimensions, and there is one for each of the primes.
// LLL finds it, or BKZ with blocks of 10, 20, ... and at last `block` rows; a block of 2 is LLL
// alone. Then x_0 / q_0, rounded, is p, if it is a divisor of all samples but for their noise. Of
// several slots the short rows are combinations of those vectors; LLL of these rows alone, after
// they were made orthogonal to the samples, takes them apart (Howgrave-Graham, CaLC 2001; van Dijk,
// Gentry, Halevi, Vaikuntanathan, Eurocrypt 2010).
//
// With a modulus x0 that stands in the place of x_0. A known divisor of all noise makes the noise
// shorter by as much: samples are divided by it, modulo x_0.
//
// Finds all primes, or some of them, or none where the vectors are too long for the block size, or
// where gamma < eta + rho + 2, which leaves more than one p for each q_0. Requires 2 <= count <=
// x.size(), and 2 <= block <= kLargestBlock (block_reduction.hpp). One thread at a time (NTL).
// Throws Error(invalid_argument), Error(stopped).
[[nodiscard]] Finding simultaneous_approximation(const Samples& samples, std::size_t count,
                                                 std::size_t block = 2,
                                                 const Monitor& monitor = {});

// How many samples to take for reductions with such blocks: slots + t for the smallest t with
//
//   volume / t + t lg delta <= eta - rho - 3,  volume = gamma - rho - slots (eta - rho),
//
// or, where there is none, for that which makes the left side least. Looks at the sizes only.
[[nodiscard]] std::size_t best_approximation(const Samples& sizes, std::size_t block);

}  // namespace fhe::attack
