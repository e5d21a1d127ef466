// SPDX-License-Identifier: Apache-2.0
// Parameters of numbers in slots under a secret key: batch DGHV over the integers (Cheon, Coron,
// Kim, Lee, Lepoint, Tibouchi, Yun, Eurocrypt 2013, ePrint 2013/036, section 3) without a public
// modulus.
//
// A ciphertext is an integer c with c mod p_j = Q r_j + m_j in (-p_j/2, p_j/2): m_j in [0, Q) is
// the number in slot j, and |r_j| < 2^rho hides it. A new one is below 2^gamma. Nothing reduces
// ciphertexts, since no multiple of the primes is known to anybody: a product is as long as its
// factors together.
//
// The bound on noise that a ciphertext carries is an integer B with |Q r_j + m_j| <= B in every
// slot, whatever was drawn. Sums and products of ciphertexts have sums and products of bounds, so a
// ciphertext decrypts to the right numbers with certainty as long as B <= 2^(eta-2) < p_j / 2. With
// constants bounds are rounded up to powers of two times the bounds of operands, so that no bound
// states a constant (slots.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/security/problems.hpp"

namespace fhe::she {

// The numbers of a group.
struct FHE_EXPORT Parameters {
  std::size_t lambda;       // bits by which what is published may differ from uniform integers
  std::size_t slots;        // l, numbers in a ciphertext
  std::uint64_t plaintext;  // Q, at least 2 and at most 2^32: numbers are modulo Q
  std::size_t rho;          // noise r_j of a new ciphertext, bits
  std::size_t eta;          // secret primes, bits
  std::size_t gamma;        // new ciphertexts, bits
  std::size_t depth;        // products one after the other
  std::size_t additions;    // k: sums of 2^k at every level
  std::size_t tau;          // elements of a public key; 0 where the group has none
  std::size_t alpha;        // weights of its encryptions, bits; 0 where it has none

  // Reads and checks a group. Throws Error(invalid_parameters).
  explicit Parameters(const ParameterSet& group);

  // What the fields are called in a group.
  static std::vector<std::string_view> field_names();

  // Whether there are public keys, which encrypt one number to be added to others.
  [[nodiscard]] bool has_public_keys() const { return tau > 0; }

  // Bits of the corrections of compressed ciphertexts and of a public key: l eta + lambda.
  [[nodiscard]] std::size_t correction_bits() const { return slots * eta + lambda; }

  // Bound on the noise of a new ciphertext of the secret key, Q (2^rho - 1) + Q - 1; and of the
  // public one, a sum of tau elements with weights below 2^alpha, and the number.
  [[nodiscard]] Integer fresh_noise() const;
  [[nodiscard]] Integer public_noise() const;

  // The largest bound with which a ciphertext decrypts to the right numbers: 2^(eta-2), which is
  // below p / 2 for every odd p of eta bits.
  [[nodiscard]] Integer noise_limit() const;

  // The bound on noise after all that the group is made for: operands that are sums of two new
  // ciphertexts, and at each of `depth` levels a sum of 2^additions products; at depth 0 a sum of
  // 2^additions sums of two. With a public key, a sum of 2^additions of its ciphertexts. Constants
  // whose absolute values add up to 2^additions are as good as so many terms.
  [[nodiscard]] Integer intended_noise() const;

  // The problems that protect a key and what it encrypts: approximate common divisors without a
  // published multiple of the primes.
  [[nodiscard]] security::Problems problems() const;

  // The most new ciphertexts that a product with less than the limit has as factors.
  [[nodiscard]] std::size_t most_factors() const;

  // The most bits of the absolute value of a ciphertext that decrypts. It is a polynomial in new
  // ciphertexts x_i < 2^gamma; with their bound F and the absolute values of the coefficients its
  // bound B is at least the same polynomial in F. Each term has at most D = most_factors() factors,
  // or it would exceed the limit by itself: so |c| <= B (2^gamma / F)^D < 2^(D gamma + eta).
  [[nodiscard]] std::size_t most_bits() const;
};

}  // namespace fhe::she
