// SPDX-License-Identifier: Apache-2.0
// What tests that can be repeated draw from. Not installed.
#pragma once

#include "libfhe/random/public_stream.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe {

// The public seed of a key that is made from a test seed.
StreamSeed test_stream_seed(const TestSeed& seed);

// Throws Error(invalid_argument) for a test source, except with a test key.
void require_random_for(const KeyId& key, const SecretRandom& random);

}  // namespace fhe
