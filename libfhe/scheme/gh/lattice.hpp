// SPDX-License-Identifier: Apache-2.0
// The ideal lattice of a GH key: its secret generator v, and the integers d, r, w that the scheme
// computes with. Not installed.
#pragma once

#include <cstddef>
#include <optional>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

// Z[x]/(x^N + 1) by Kronecker substitution.

// A polynomial f is the integer f(X) with X = 2^(64 s): a product is then one product of integers,
// a product by x a shift, and x^N + 1 the integer X^N + 1. Slots are whole limbs, so nothing is
// shifted on the way in or out.
//
// Everything is taken for secret and overwritten. Large polynomials are split among threads.
class KroneckerRing {
 public:
  // For polynomials of `count` = N >= 1 coefficients of absolute values below 2^coefficient_bits;
  // that goes for what is packed and for every product or sum that is unpacked.
  KroneckerRing(std::size_t count, std::size_t coefficient_bits);

  // sum_i f[first + step i] X^i over i = 0 ... N-1: a polynomial for step = 1, its even or odd half
  // for step = 2. The result is signed.
  [[nodiscard]] SecretInteger pack(const SecretIntegers& f, std::size_t first,
                                   std::size_t step) const;

  // The N coefficients, modulo x^N + 1, of the polynomial of degree below 2N that `value` is.
  [[nodiscard]] SecretIntegers unpack(const Integer& value) const;

  // X value: the polynomial times x.
  [[nodiscard]] SecretInteger times_x(const Integer& value) const;

 private:
  // value + bias modulo X^N + 1, whose digits in base X are the coefficients + X/2.
  [[nodiscard]] SecretInteger biased_residue(const Integer& value) const;

  // Calls body(first, last) for consecutive parts of [0, N), on several threads.
  template <class Body>
  void for_parts(const Body& body) const;

  std::size_t count_;
  std::size_t slot_limbs_;  // s
  Integer bias_;            // sum_i X^i X/2
  Integer modulus_;         // X^N + 1
};

// Bit length of the longest coefficient.
std::size_t longest_bits(const SecretIntegers& f);

// Determinant and inverse in Z[x]/(x^n + 1) by halving the dimension.

// With w = d / v in Z[x]/(x^n + 1): its two lowest coefficients.
struct ScaledInverse {
  Integer d;         // resultant(v, x^n + 1), the product of all v(zeta_j); positive unless v = 0
  SecretInteger w0;  // of w_0 + w_1 x + ...
  SecretInteger w1;
};

// Gentry and Halevi's halving (ePrint 2010/520, section 4). For any u and v of dimension N
//
//   v'(x^2) = v(x) v(-x),   u'(x^2) = even half of u(x) v(-x)
//
// have dimension N/2, v' the same determinant d, and d u'/v' the same lowest coefficient as d u/v.
// So log2 n steps take u = 1 to w_0 and u = 1/x = -x^(n-1) to w_1, while v becomes d. Each step is
// six products of half the dimension with twice the bits, on the backend, which sees v.
//
// Requires n = v.size() a power of two, at least 2. Advances `progress` by log2 n.
ScaledInverse scaled_inverse(const SecretIntegers& v, const Backend& backend, Progress& progress);

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
