// SPDX-License-Identifier: Apache-2.0
// The orthogonal lattice of samples with approximate common divisors.
#pragma once

#include <cstddef>

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// From the first `count` samples x: vectors u so short that sum u_i x_i = 0, modulo x0 where there
// is one, makes sum u_i r_ij = 0 in each of l slots j. So many of them leave l short vectors that
// are orthogonal to all, of which the residues are combinations: so every sample is, in all slots,
// one rational combination of l samples, and its distance from that a multiple of the product P of
// all primes. With l > 1 the product of the l samples with another sample y is a linear map of them
// modulo P, a rational matrix with small entries; its eigenvalues are the residues of y in the
// slots, and the gcd of P with y less one of them is the prime of that slot (van Dijk, Gentry,
// Halevi, Vaikuntanathan, Eurocrypt 2010; Ding, Tao, ePrint 2014/042; for the eigenvalues Coron,
// Lepoint, Tibouchi, Crypto 2013, appendix, and Cheon and others, JMC 2020).
//
// Finds all primes, or none where the relations are too long. Requires slots + 2 <= count <=
// x.size(). One thread at a time (NTL). Throws Error(invalid_argument), Error(stopped).
[[nodiscard]] Finding orthogonal_lattice(const Samples& samples, std::size_t count,
                                         const Monitor& monitor = {});

// The same with the smallest number of samples in [least, most] that does; the times are those of
// this one. Finds nothing where none does.
[[nodiscard]] Finding smallest_orthogonal_lattice(const Samples& samples, std::size_t least,
                                                  std::size_t most, const Monitor& monitor = {});

}  // namespace fhe::attack
