// SPDX-License-Identifier: Apache-2.0
// Parameters of GH (Gentry, Halevi: Implementing Gentry's Fully-Homomorphic Encryption Scheme,
// Eurocrypt 2011, ePrint 2010/520). Not installed.
//
// Everything happens in R = Z[x]/(x^n + 1) and its 2n-th complex roots of unity zeta_j, odd powers.
// The secret v in R generates the ideal whose determinant is d; the integer c in [0, d) stands for
// all u in R with u(r) = c mod d, and encrypts u(1) mod 2 of the small one of them.
//
// Noise is measured by the norm
//
//   |u| = max( rms_j |u(zeta_j)|,  2^-g max_j |u(zeta_j)| ),         g = crest_bits,
//
// for which |u u'| <= 2^g |u| |u'|: this is NoiseRule::product_growth. With e_i the coefficients of
// u/v, Cauchy-Schwarz gives |e_i| <= |u| rms_j 1/|v(zeta_j)| <= |u| 2^-I, where I = inverse_bits is
// what key generation guarantees of every v. A ciphertext decrypts while |e_i| < 1/2 and recrypts
// while |e_i| < 2^-(p+1), p = precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/noise.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/security/problems.hpp"

namespace fhe::gh {

// What other adders than the group's own claim beyond the difference of worst cases: their noise
// spreads wider, and nobody needs their claims to be close.
inline constexpr std::uint32_t kOtherAdderBits = 8;

struct Parameters {
  std::size_t n;                // dimension, a power of two
  std::size_t t;                // coefficients of v, bits: uniform in [-2^(t-1), 2^(t-1))
  std::size_t h;                // nonzero coefficients of the noise of an encryption
  std::size_t s;                // blocks of the squashed key: terms of the sparse subset sum
  std::size_t S;                // elements of a block: x_k R^j for j = 0 ... S-1
  std::size_t log_R;            // the ratio R of a block's elements is 2^log_R
  std::size_t c;                // key ciphertexts of a block: c (c-1) / 2 >= S pairs
  std::size_t precision;        // p: fractional bits of the expanded ciphertext, 2^p > s
  std::size_t inverse_bits;     // I: key generation takes only v with rms 1/|v(zeta_j)| <= 2^-I
  std::size_t crest_bits;       // g of the norm
  std::size_t refreshed_noise;  // of a recrypted ciphertext, bits; see refreshed_noise_bound()
  std::string adder;            // adder of recryption

  // Reads and checks a group. Throws Error(invalid_parameters).
  explicit Parameters(const ParameterSet& group);

  // What the fields are called in a group.
  static std::vector<std::string_view> field_names();

  // Longest possible d, bits: d = prod |v(zeta_j)| <= (sqrt(n) 2^(t-1))^n by Hadamard's bound.
  [[nodiscard]] std::size_t max_determinant_bits() const;

  // Shortest possible d, bits: the geometric mean of the |v(zeta_j)| is at least 2^I, because the
  // one of their inverses is at most the quadratic mean.
  [[nodiscard]] std::size_t min_determinant_bits() const { return n * inverse_bits + 1; }

  // Length of d as it is on average, bits. The v(zeta_j) are about normal with E |v(zeta_j)|^2 =
  // n 2^(2t) / 12, so that E log2 |v(zeta_j)|^2 is the logarithm of that less C / ln 2, C Euler's
  // constant. A single d is some 1.3 sqrt(n) bits (the standard deviation) longer or shorter.
  [[nodiscard]] std::size_t typical_determinant_bits() const;

  [[nodiscard]] NoiseRule noise_rule() const;

  // |b + 2u|, proven: rms_j |b + 2u(zeta_j)| is the Euclidean length of the coefficients, at most
  // sqrt(4 (h-1) + 9), and each |b + 2u(zeta_j)| <= 1 + 2h.
  [[nodiscard]] NoiseBound fresh_noise() const;

  // Noise of a recrypted ciphertext under this adder. NOT a proven bound: no such bound fits the
  // published sizes, because it would have to hold for the worst choice of the S-element subsets.
  // It is refreshed_noise bits, for other adders than the group's own plus the difference of their
  // worst cases and kOtherAdderBits. Key generation tries it out with each key, in the noise that a
  // decryptor measures, for recrypted ciphertexts and products of two of them
  // (key_generation.hpp); what it says about a key has the confidence of NoiseTrials. The norm
  // itself lies 4 bits above that measure at n = 512 and 9 at 32768. Its mean lies 4 standard
  // deviations and more below the claim, except at n = 32768, where it is 186 to 190 by the key and
  // the claim 187. Nor are squares of a recrypted ciphertext tried, which are about 4 bits noisier
  // than other products: x AND x is x.
  [[nodiscard]] NoiseBound refreshed_noise_bound(const AdderProgram& program) const;

  // As Scheme::problems.
  [[nodiscard]] security::Problems problems() const;

  // The adder by name, or the group's own for an empty name.
  [[nodiscard]] AdderProgram adder_program(std::string_view name = {}) const;
};

}  // namespace fhe::gh
