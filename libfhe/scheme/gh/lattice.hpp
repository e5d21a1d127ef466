// The ideal lattice of a GH key: its secret generator v, and the integers d, r, w that the scheme
// computes with. Not installed.
#pragma once

#include <cstddef>

#include "libfhe/arith/backend.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/secret_integers.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/gh/parameters.hpp"

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

// Draws v until everything that the scheme needs holds: sum v_i odd (so that d is odd, because
// x^n + 1 = (x + 1)^n modulo 2), rms_j 1/|v(zeta_j)| <= 2^-inverse_bits, w_0 invertible modulo d,
// r^n = -1 modulo d. The backend multiplies SECRET integers here.
//
// The phase "lattice" of the monitor starts again with every v that passes the test of its inverse;
// between checkpoints there is at most GMP's inverse modulo d. Throws Error(invalid_parameters)
// when kMaxGenerators in a row fail.
inline constexpr std::size_t kMaxGenerators = 128;

Lattice generate_lattice(const Parameters& parameters, const BackendPtr& backend,
                         SecretRandom& random, const Monitor& monitor);

}  // namespace fhe::gh
