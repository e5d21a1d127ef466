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
#include <optional>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/scheme/noise.hpp"

namespace fhe::dghv {

// How many sums a and b are made of.
inline constexpr std::size_t kDigitInputs = 7;

// These sums, for each of the expanded ciphertexts. For keys with Parameters::digits.
std::vector<std::vector<Operand>> digit_sums(const Parameters& parameters, const SquashedKey& key,
                                             const Ring& ring,
                                             const std::vector<std::vector<std::uint32_t>>& z,
                                             const Monitor& monitor);

// An encryption of round(sum_i s_i z_i), from the sums of z.
Operand rounded_by_digits(const Ring& ring, const std::vector<Operand>& sums,
                          const Monitor& monitor);

// The same of a ciphertext by the ring alone, where it does all at once (Ring::recrypt). For keys
// with Parameters::digits.
std::optional<Integer> rounded_at_once(const Parameters& parameters, const SquashedKey& key,
                                       const Ring& ring, const Integer& c, const Monitor& monitor);

// What recryption by digits holds at its peak, as KeyShape::recryption_integers.
[[nodiscard]] std::size_t digit_recryption_integers();

// What recryption by digits leaves.
//
// A bound on the noise of what recrypt_by_digits() makes, from bounds on |a| and |b|: top_digit()
// run on them with every term counted as positive, and c mod 2.
NoiseBound digit_noise(NoiseBound a, NoiseBound b);

}  // namespace fhe::dghv
