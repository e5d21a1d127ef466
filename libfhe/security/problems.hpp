// SPDX-License-Identifier: Apache-2.0
// The problems behind keys and ciphertexts, as plain numbers: what an estimate is made from.
// Nothing here knows a scheme; libfhe/scheme/security.hpp says what the problems of a group are.
#pragma once

#include <limits>
#include <optional>

#include "libfhe/export.hpp"

namespace fhe::security {

// Approximate common divisors: x_i = r_i modulo each of `slots` secret primes of eta bits, |r_i| <
// 2^rho, each x_i of gamma bits. Ciphertexts of an unknown small plaintext are such samples too.
struct FHE_EXPORT ApproximateGcd {
  double rho = 0;    // bits of the noise
  double eta = 0;    // bits of each prime
  double gamma = 0;  // bits of a sample
  double slots = 1;  // primes
  // Whether an exact multiple x0 of the primes, of gamma bits, is published.
  bool modulus_public = true;
  // How many samples there are. Beyond them an attacker multiplies two and has one of twice the
  // noise.
  double samples = std::numeric_limits<double>::infinity();
};

// Gadget ciphertexts of leveled selections: each has `rows` rows, and every row is a sample of one
// secret prime that no multiple is published of. The message of a row counts as known to the
// attacker, so the noise alone hides the prime.
struct FHE_EXPORT GadgetRows {
  double rho = 0;    // bits of the noise of a row
  double eta = 0;    // bits of the prime
  double gamma = 0;  // bits of a row
  double rows = 0;   // rows of a gadget ciphertext
  // How many gadget ciphertexts are published under one key.
  double ciphertexts = std::numeric_limits<double>::infinity();
};

// The rows as samples.
FHE_EXPORT ApproximateGcd samples_of(const GadgetRows& gadget);

// A squashed key: `length` secret bits in `blocks` blocks of equal size, one of them 1 in each, and
// public numbers the sum of which, over the ones, is a multiple of 1/p but for roundings.
struct FHE_EXPORT SquashedKey {
  double length = 0;        // Theta
  double blocks = 0;        // theta, the number of ones
  double known_blocks = 0;  // whose 1 is known
  // How many bits one relation between the secret bits is worth: all that a near multiple of p can
  // be told from a random number by.
  double relation_bits = 0;
};

// A squashed key in product form: the ones of two short vectors, few enough to try them all.
struct FHE_EXPORT ProductFormKey {
  double length = 0;      // Theta: products of two entries
  double candidates = 0;  // log2 of the number of keys
  double gamma = 0;       // bits of a public number
};

// A ciphertext as a knapsack: `count` random coefficients of `bits` bits times public numbers of
// gamma bits, modulo one more.
struct FHE_EXPORT CiphertextKnapsack {
  double count = 0;  // coefficients
  double bits = 0;   // of each of them
  double gamma = 0;  // bits of a public number
};

// Encryption with weights of low Hamming weight: tau weights of alpha bits, `ones` of them 1.
struct FHE_EXPORT SparseWeights {
  double tau = 0;           // weights
  double alpha = 0;         // bits of each of them
  double ones = 0;          // of which so many are 1
  ApproximateGcd elements;  // what the weights are multiplied by
  // Bits of the noise that encryption adds to that.
  double noise = std::numeric_limits<double>::infinity();
};

// The ideal lattice of an element of Z[x]/(x^n + 1), and ciphertexts with noise of few nonzero
// coefficients 1 and -1.
struct FHE_EXPORT IdealLattice {
  double n = 0;            // dimension
  double determinant = 0;  // log2
  double nonzeros = 0;     // coefficients of the noise of a ciphertext
};

// What must hold beside the attacks for a proof, or for decryption, to say anything.
struct FHE_EXPORT Conditions {
  // Bits of the randomness of an encryption with the public key, and how many the leftover hash
  // lemma asks for before the first bit of security; nothing where encryption needs no lemma.
  std::optional<double> entropy_bits = {};
  double hashed_bits = 0;
  // No prime below 2^rough_bits divides the cofactor of x0; nothing where no x0 is published.
  std::optional<double> rough_bits = {};
  // The claim of the group, which both are measured by.
  double claimed_bits = 0;
  // A proven bound on the noise of a new ciphertext, and the largest that decrypts.
  double noise_bits = 0;
  double noise_limit_bits = 0;
};

// All that protects a key and what is encrypted under it.
struct FHE_EXPORT Problems {
  std::optional<ApproximateGcd> samples = {};       // public elements and ciphertexts
  std::optional<GadgetRows> gadget = {};            // ciphertexts that select
  std::optional<SquashedKey> squashed = {};         // published for recryption
  std::optional<ProductFormKey> product_key = {};   // likewise
  std::optional<CiphertextKnapsack> knapsack = {};  // each ciphertext of the public key
  std::optional<SparseWeights> sparse = {};         // an option of encryption that nobody must take
  std::optional<IdealLattice> ideal = {};           // public key and ciphertexts
  std::optional<Conditions> conditions = {};        // of proof and decryption
};

}  // namespace fhe::security
