// SPDX-License-Identifier: Apache-2.0
// The squashed secret key of the DGHV family: the public hint that lets a ciphertext be decrypted
// by a shallow circuit, and the encrypted secret bits. Not installed.
//
// The secret bits are those of s, or of s0 and s1 whose products are s (SquashForm); they are given
// by their `ones`, one position in each box of Parameters::boxes(), in increasing order.
//
// y_i = u_i / 2^kappa, and sum_i s_i u_i = round(2^kappa / p) mod 2^(kappa+1). All u_i but u_0 come
// from a public stream; u_0 is solved.
//
// With l slots there is such a vector s_j for each prime p_j, all over the same u_i. In the first
// block the 1 of s_j is at index j, so that u_0 to u_(l-1) can be solved one by one, and sigma_i
// encrypts entry i of s_j in slot j. What follows says l = 1, or s for each of the s_j, where it
// says neither.
//
// Indices of streams: u_i, i >= l, is element i of the purpose
// `squash`, chi'_i element i of `key_bits`, chi''_i element i of `key_digits`, chi_i element i
// (from 1) of `public_elements`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/dghv/parameters.hpp"
#include "libfhe/scheme/dghv/secret_primes.hpp"
#include "libfhe/scheme/noise_trials.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

// The public part.
struct SquashedKey {
  StreamSeed seed;
  std::vector<Integer> solved;  // u_0, ..., u_(l-1)
  std::vector<Integer> sigma;   // delta'_i: sigma_i = chi'_i - delta'_i encrypts secret bit i
  // delta''_i: sigma'_i = chi''_i - delta''_i encrypts it modulo 32. Parameters::has_digit_set().
  std::vector<Integer> digit_sigma;
};

// u_l, ..., u_(Theta-1).
PublicStream squash_stream(const Parameters& parameters, const StreamSeed& seed);

// chi'_i, one for each secret bit.
PublicStream key_bit_stream(const Parameters& parameters, const StreamSeed& seed);

// chi''_i, likewise.
PublicStream key_digit_stream(const Parameters& parameters, const StreamSeed& seed);

// What is kept of the products c u_i: z_i modulo 2^(n+1), M = kappa + 1.
WindowSpec window_spec(const Parameters& parameters);

// Positions of the ones of a slot: index `slot` of a known box, a uniform index of each other box;
// and those of all slots.
SecretIndices draw_ones(const Parameters& parameters, SecretRandom& random, std::size_t slot = 0);
std::vector<SecretIndices> draw_all_ones(const Parameters& parameters, SecretRandom& random);

// The theta indices i with s_i = 1; the first is the slot.
SecretIndices selected_elements(const Parameters& parameters, const SecretIndices& ones);

// u_j = round(2^kappa / p_j) - sum_{i>=l} s_ji u_i mod 2^(kappa+1) of every slot j.
std::vector<Integer> solve(const Parameters& parameters, const SecretPrimes& primes,
                           std::span<const SecretIndices> ones, const StreamSeed& seed,
                           const Monitor& monitor);

// The noise terms 2 r'_i + (secret bit i) of the encrypted key bits of a slot, r'_i uniform in
// (-2^rho, 2^rho); 32 r'_i + (secret bit i) for a digit key of one set. All of them are drawn again
// while this very key would leave more noise than Parameters::refreshed_noise() says:
//
//   form `blocks`, key_noise_percent below 100: while the largest sums of noise terms over subsets
//   of the boxes, run through some adder, give more. So the bound is proven for this key, although
//   its boxes in the worst case would give more.
//
//   digit keys: while they break the bound that digit_parity_noise() stands for, on the sum of all
//   their absolute values or of their squares.
//
//   form `product`: while kTrials trial recryptions with the group's own adder do not keep the
//   stated bound (NoiseTrials). So the bound is statistical, for this key, with the confidence that
//   NoiseTrials states; about 3 % of the keys of cmnt-toy-paper are drawn again, of the larger
//   groups next to none. Other adders have a proven bound.
//
// Throws Error(invalid_parameters), with what was stated and what was found, when of kMaxDraws
// (blocks), kMaxDigitDraws (digit keys) or kMaxProductDraws keys none does.
inline constexpr std::size_t kTrials = 256;
inline constexpr int kMaxDraws = 1000;
inline constexpr int kMaxDigitDraws = 10000;
inline constexpr int kMaxProductDraws = 32;
SecretIntegers draw_key_bit_noise(const Parameters& parameters, const SecretIndices& ones,
                                  SecretRandom& random);

// The same for the slots with these ones, one slot after the other.
SlotIntegers draw_all_key_bit_noise(const Parameters& parameters,
                                    std::span<const SecretIndices> ones, SecretRandom& random);

// The public part: the u_j solved, and the secret bits encrypted with the noise terms of
// draw_key_bit_noise(); for Parameters::has_digit_set() also modulo 32, with noise terms
// 32 r''_i + (secret bit i), r''_i uniform in (-2^rho, 2^rho).
SquashedKey encrypt_squashed_key(const Parameters& parameters, const ChineseRemainders& remainders,
                                 std::span<const SecretIndices> ones,
                                 const SlotIntegers& key_bit_noise, const StreamSeed& seed,
                                 const Backend& backend, SecretRandom& random,
                                 const Monitor& monitor);

// The noise that recryption leaves under a key of the DGHV family, on the noise terms of its
// encrypted key bits alone.
//
// Recrypts `count` random ciphertexts: bits of uniform z_i select from the noise terms of the key
// bits, as they would from the sigma_i, and the adder runs on what they select, in integers without
// a modulus. That is the very noise of the recryption. The z_i are no secret and the same for
// every key, so equal terms have equal trials.
NoiseTrials trial_recryptions(const Parameters& parameters, const SecretIntegers& noise,
                              const AdderProgram& adder, std::size_t count);

}  // namespace fhe::dghv
