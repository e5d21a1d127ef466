// SPDX-License-Identifier: Apache-2.0
// The noise that recryption leaves under a key of the DGHV family, on the noise terms of its
// encrypted key bits alone. Not installed.
#pragma once

#include <cstddef>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/dghv/parameters.hpp"
#include "libfhe/scheme/noise_trials.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

// Recrypts `count` random ciphertexts: bits of uniform z_i select from the noise terms of the key
// bits, as they would from the sigma_i, and the adder runs on what they select, in integers without
// a modulus. That is the very noise of the recryption. The z_i are no secret and the same for
// every key, so equal terms have equal trials.
NoiseTrials trial_recryptions(const Parameters& parameters, const SecretIntegers& noise,
                              const AdderProgram& adder, std::size_t count);

}  // namespace fhe::dghv
