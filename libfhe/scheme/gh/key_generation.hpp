// SPDX-License-Identifier: Apache-2.0
// Key generation of GH, and the trials that keys must pass. Not installed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "libfhe/monitor.hpp"
#include "libfhe/scheme/gh/noise_polynomial.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/squash.hpp"
#include "libfhe/scheme/noise_trials.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

// The noise that recryption leaves under a GH key, from the noise polynomials of its encrypted key
// bits alone.

// An adder and how many recryptions to try with it: at least 2.
struct TrialPlan {
  std::string adder;
  std::size_t count;
};

// What the recryptions with one adder left, each time in three measures.
struct Trials {
  std::string adder;
  // |u|, the norm of parameters.hpp.
  NoiseTrials norm;
  // What a decryptor measures: |[c w_i]_d| / d 2^inverse_bits, the coefficients of u/v; four times
  // their quadratic mean, which one in 16 000 exceeds.
  NoiseTrials measured;
  // Of two of these ciphertexts, as measured.
  NoiseTrials product;
};

// What is tried with each key that is made: the group's own adder often, the others a few times.
std::vector<TrialPlan> usual_trials(const Parameters& parameters);

// Recrypts random ciphertexts in the complex values of the noise: `noise` holds that of the s c key
// ciphertexts of a key with generator v and these chosen elements. For each block the bits of a few
// uniform z are selected as in RowProgram; a trial takes one of these selections for each block,
// at random, and runs the adder on them. The z are no secret and the same for every key.
//
// Time: about 8 (n / 2) s S (p + 1) / 2 complex additions, in parallel, and as many adders as
// trials, each on n / 2 values. Values past 2^1023 come out as infinite or not a number.
std::vector<Trials> trial_recryptions(const Parameters& parameters, const SecretIntegers& v,
                                      const std::vector<NoisePolynomial>& noise,
                                      const ChosenElements& chosen,
                                      const std::vector<TrialPlan>& plans, const Monitor& monitor);

// A claim that trials do not keep.
struct ExceededClaim {
  double missing_bits;  // by which refreshed_noise is too little
  std::string text;     // with the figures, and what to state instead
};

// The claim that these trials miss by the most; nothing when they keep all: that of
// refreshed_noise_bound() for a recrypted ciphertext under each adder, and that of the noise rule
// for the product of two under the group's own.
std::optional<ExceededClaim> exceeded_claim(const Parameters& parameters,
                                            const std::vector<Trials>& trials);

// 1. the lattice: v, d, r, w;  2. the squashed key: the chosen elements, x solved;  3. the choice
// encrypted under the key itself, with noise that is drawn again, at most kMaxKeyBitDraws times,
// until trial recryptions under this key keep every claim of the group (exceeded_claim) and
// no key bit can be told from its encryption (key_bits_flaw). Throws Error(invalid_parameters),
// with what was stated and what was found, when no draw does. All secrets come from `random`, the
// x_k but for the last from the public `seed`. v, the chosen elements and the noise are forgotten:
// w is the secret key.
inline constexpr std::size_t kMaxKeyBitDraws = 16;
KeyMaterial generate_keys(const Parameters& parameters, const BackendPtr& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor);

}  // namespace fhe::gh
