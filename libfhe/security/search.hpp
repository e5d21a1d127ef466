// SPDX-License-Identifier: Apache-2.0
// The smallest numbers for a purpose that no attack of attacks.hpp opens below a target, by core
// cost, also if the hidden lattice of many slots were given (hidden_lattice_given()).
//
// Noise is counted in the worst case, so decryption never fails within the depth and the additions
// that were asked for. All functions are pure; any thread may call them. Those that return sizes
// throw Error(invalid_argument) where the gap eta - rho would be below kLeastGap.
#pragma once

#include "libfhe/export.hpp"
#include "libfhe/security/problems.hpp"

namespace fhe::security {

// The models of lattice attacks were run down to gaps of 4 bits, where the last block of BKZ
// decides all. Nothing is made for gaps that small.
inline constexpr double kLeastGap = 16;

// The least block size of BKZ that costs the target, by core_svp(), and reaches what no smaller one
// does.
FHE_EXPORT double block_size_at(double target);

// The least gamma - rho of samples of one prime that no block size below block_size_at(target)
// opens, by longest_opened(), for a gap eta - rho.
FHE_EXPORT double least_length(double target, double gap);

// Ciphertexts of integers modulo Q in `slots` slots, made with the secret key, without any
// published modulus: sums of 2^log_additions ciphertexts, products of two such sums, and so on,
// `depth` times.
struct FHE_EXPORT SlotsGoal {
  double target = 128;        // bits
  double depth = 1;           // products one after the other
  double slots = 1;           // numbers in a ciphertext
  double plaintext = 2;       // Q
  double log_additions = 10;  // log2 of how many ciphertexts are added at each level
  // Whether an exact multiple of the primes is published all the same.
  bool modulus_public = false;
  // Whether gamma grows by slots eta instead of slots (eta - rho): more than the attack needs.
  bool margin = true;
};

// The numbers of the family.
struct FHE_EXPORT Sizes {
  double rho = 0;    // bits of the noise
  double eta = 0;    // bits of each prime
  double gamma = 0;  // bits of a ciphertext
};

// With noise m + Q r of N_0 = rho + ceil(lg Q) + 1 bits in a new ciphertext, N_i = 2 N_(i-1) +
// log_additions after a product (N_0 + log_additions at depth 0), and eta = N_depth + 2:
//
//   rho - lg slots + lg gamma >= target,
//   gamma >= rho + least_length(target, eta - rho) + slots (eta - rho).
//
// The first is a margin of 1.5 + (lg slots) / 2 bits beside noise_search(). With a published
// modulus (rho - lg slots + 1) / 2 + lg gamma >= target instead, and eta so long that factoring
// costs the target too.
FHE_EXPORT Sizes smallest_slots(const SlotsGoal& goal);

// Bits with a public key of tau samples of noise rho, weights of alpha bits.
struct FHE_EXPORT PublicKeySizes {
  Sizes sizes;       // of the family
  double alpha = 0;  // bits of a weight
  double tau = 0;    // samples in the key
};

// Somewhat homomorphic: circuits of bits of a multiplicative depth, 2^10 additions for each level,
// with x0 published: (rho+1)/2 + lg gamma >= target, alpha = target, noise rho' = alpha + rho + lg
// tau + 2 of a new ciphertext, eta = 2^depth (rho' + 10) + 8 or as long as factoring asks for,
// alpha tau >= gamma + 2 target.
FHE_EXPORT PublicKeySizes smallest_somewhat(double target, double depth);

// Additions only, 2^log_additions of them, of integers modulo Q, without an exact x0: rho + lg
// gamma >= target, weights of 8 bits, alpha tau >= gamma + 96 + 2 target, eta = rho + 8 + lg tau +
// lg Q + 2 + log_additions.
FHE_EXPORT PublicKeySizes smallest_tally(double target, double plaintext, double log_additions);

// Recryption: a squashed key of 15 ones in blocks of B, four fractional bits.
struct FHE_EXPORT RecryptionSizes {
  PublicKeySizes key;  // what encrypts
  double length = 0;   // Theta = 15 B
};

// As above, eta = 32 (rho + 3 + lg B) + 8 for the adder and an AND, alpha = eta - rho - 40, and B
// the least for which no attack on the squashed key is below the target, though LLL were free.
FHE_EXPORT RecryptionSizes smallest_recryption(double target);

}  // namespace fhe::security
