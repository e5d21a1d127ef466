// SPDX-License-Identifier: Apache-2.0
// Recryption by digits: a variant of DGHV recryption with 10 products instead of an adder's 46 and
// more. Not installed.
//
// The key publishes sigma'_i, encryptions of the secret bits modulo 32 (noise 32 r_i + s_i). With
// z = expand(c) in [-16, 16), five bits each, two sums take no product:
//
//   b = 8 + sum_i z_i sigma'_i            an encryption of 8 + sum_i s_i z_i modulo 32,
//   a = sum_{z_i odd} +-sigma_i           an encryption of its parity,
//
// with + where z_i = 1 mod 4 and - where z_i = 3 mod 4. Digit 4 of b is the rounded sum that
// recryption needs; top_digit() takes it out.
//
// The noise of the result is about a^16 / 2^15, so that of a counts, and the signs make it a sum of
// random signs. A key of two sets of encrypted bits takes a from the usual sigma_i, of noise
// 2 r_i + s_i; a key of one set has sigma_i = sigma'_i and 64 bits more noise in the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/ring_program.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/scheme/adder/step_list.hpp"
#include "libfhe/scheme/dghv/parameters.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/scheme/noise.hpp"

namespace fhe::dghv {

// The program of all recryptions with a key. Its sum of signs is a difference: z + 1 has bit 1
// where z is 1 or 2 mod 4, z where it is 2 or 3.
class DigitProgram {
 public:
  // For keys with Parameters::digits, which must outlive the object, as the parameters.
  DigitProgram(const Parameters& parameters, const SquashedKey& key, const Integer& x0);
  DigitProgram(const DigitProgram&) = delete;
  DigitProgram& operator=(const DigitProgram&) = delete;

  // From a ciphertext to an encryption of round(sum_i s_i z_i).
  [[nodiscard]] RingProgram program() const;

 private:
  StepList::Value add_group(std::size_t first, std::uint32_t plus);

  const Parameters& parameters_;
  const SquashedKey& key_;
  PublicStream factors_;
  PublicStream chi_;
  PublicStream digit_chi_;
  std::vector<CorrectedStream> elements_;
  std::vector<WindowGroup> groups_;
  StepList::Finished steps_;
};

// A bound on the noise that recryption by digits leaves, from bounds on |a| and |b|: top_digit() of
// them with every term counted as positive, and c mod 2.
NoiseBound digit_noise(NoiseBound a, NoiseBound b);

}  // namespace fhe::dghv
