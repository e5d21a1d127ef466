// SPDX-License-Identifier: Apache-2.0
// What keys publish, as plain numbers: all that attacks on them are given. Attacks know no scheme,
// no file and no key.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/arith/integer.hpp"

namespace fhe::attack {

// Approximate common divisors: each x_i is r_ij modulo the secret prime p_j, |r_ij| < 2^rho, for
// each of `slots` primes.
struct Samples {
  std::vector<Integer> x;
  Integer modulus;        // x0, an exact multiple of the primes; 0 where none is published
  std::size_t rho = 0;    // bits of the noise
  std::size_t eta = 0;    // bits of each prime
  std::size_t gamma = 0;  // bits of x_i
  std::size_t slots = 1;  // primes
  // Divides all r_ij and is prime to the p_j, as the plaintext modulus under encryptions of zeros.
  Integer noise_divisor = 1;
};

// A squashed key: sum_i s_ji u_i = round(2^kappa / p_j) modulo 2^(kappa+1), s_j with a single 1 in
// each of `blocks` blocks of equal size, that of the first block at index j.
struct SquashedNumbers {
  std::vector<Integer> u;
  std::size_t kappa = 0;
  std::size_t blocks = 0;
};

// One in product form: s_(iL+j) = a_i b_j, L^2 the number of u_i, a and b with a single 1 in each
// of their boxes, and those of their first boxes first; box k of m holds the entries from
// floor(k L / m) to floor((k+1) L / m) - 1.
struct ProductFormNumbers {
  std::vector<Integer> u;
  std::size_t kappa = 0;
  std::size_t row_boxes = 0;     // of a
  std::size_t column_boxes = 0;  // of b
};

// The elements of a quadratic public key: a ciphertext is m + 2 r + 2 sum_ij b_ij x_i y_j modulo
// x0, b_ij of `bits` bits.
struct QuadraticElements {
  std::vector<Integer> x;
  std::vector<Integer> y;
  Integer modulus;
  std::size_t bits = 0;
  std::size_t noise_bits = 0;  // of r
};

// What sparse encryption hides a bit with: a ciphertext is m + 2 r + 2 sum_i b_i x_i modulo x0, r
// of `noise_bits` bits, b_i of `bits` bits, of which `ones` are 1.
struct WeightedElements {
  std::vector<Integer> x;
  Integer modulus;
  std::size_t bits = 0;
  std::size_t ones = 0;
  std::size_t noise_bits = 0;
};

// An ideal of Z[x]/(x^n + 1): all e with e(r) = 0 modulo d. A ciphertext is m + 2 e(r) modulo d,
// e with `nonzeros` coefficients 1 or -1, and m the parity of c w modulo d in (-d/2, d/2), for a
// secret odd w with |w| <= d / 2^inverse_bits.
//
// The squashed key, if it is published: w is the sum of one element x_k 2^(j log_ratio), j <
// block_size, of each block k, modulo d.
struct IdealNumbers {
  std::size_t n = 0;
  Integer d;
  Integer r;
  std::size_t nonzeros = 0;
  std::size_t inverse_bits = 0;
  std::vector<Integer> x = {};
  std::size_t log_ratio = 0;
  std::size_t block_size = 0;
};

// first, first r, first r^2, ... modulo d.
inline std::vector<Integer> powers_of(const Integer& first, const IdealNumbers& key,
                                      std::size_t count) {
  std::vector<Integer> powers{first};
  while (powers.size() < count) powers.emplace_back(powers.back() * key.r % key.d);
  return powers;
}

// x modulo y > 0, in [-y/2, y/2).
inline Integer centred(const Integer& x, const Integer& y) {
  Integer result;
  const Integer moved = x + y / 2;
  mpz_fdiv_r(result.get_mpz_t(), moved.get_mpz_t(), y.get_mpz_t());
  return result - y / 2;
}

// x without its prime factors below `bound`.
inline Integer without_small_factors(Integer x, unsigned long bound) {
  for (unsigned long f = 2; f < bound; ++f) {
    while (mpz_divisible_ui_p(x.get_mpz_t(), f) != 0) x /= f;
  }
  return x;
}

}  // namespace fhe::attack
