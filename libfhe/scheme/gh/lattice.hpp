// SPDX-License-Identifier: Apache-2.0
// The ideal lattice of a GH key: its secret generator v, and the integers d, r, w that the scheme
// computes with. Not installed.
#pragma once

#include <cstddef>
#include <optional>

#include "libfhe/arith/backend.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

// d = resultant(v, x^n + 1) > 0, odd; r = w_1 / w_0 mod d with r^n = -1, where w = d / v is the
// scaled inverse; 1/r is a root of v modulo d. `w` is the first of w_i = w_0 r^i mod d whose
// centred residue is odd, as a centred residue: m = [c w]_d mod 2 decrypts.
struct Lattice {
  SecretIntegers v;  // n coefficients
  Integer d;
  Integer r;
  SecretInteger w;
};

// The lattice of a generator, or nothing when w_0 is not invertible modulo d or r^n is not -1.
// Requires v.size() a power of two, at least 2, and an odd sum of coefficients (then d is odd,
// because x^n + 1 = (x + 1)^n modulo 2). The backend multiplies SECRET integers here.
//
// Reports the phase "lattice". Between two checkpoints there is at most one halving or one inverse
// modulo d, which is GMP's: 2.5 s at n = 32768, t = 380.
std::optional<Lattice> lattice_of(SecretIntegers v, const BackendPtr& backend,
                                  const Monitor& monitor);

// Draws generators, uniform among those of odd sum, until one has
//
//   rms_j 1/|v(zeta_j)| <= 2^-inverse_bits
//
// and a lattice. The phase "lattice" starts again with each that passes the first test. Throws
// Error(invalid_parameters) when none of kMaxGenerators does.
inline constexpr std::size_t kMaxGenerators = 128;
Lattice generate_lattice(const Parameters& parameters, const BackendPtr& backend,
                         SecretRandom& random, const Monitor& monitor);

}  // namespace fhe::gh
