// SPDX-License-Identifier: Apache-2.0
// What tests that can be repeated draw from. Not installed.
#pragma once

#include <memory>

#include "libfhe/random/public_stream.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe {

// The public seed of a key that is made from a test seed.
StreamSeed test_stream_seed(const TestSeed& seed);

// Returns the source of randomness for this key. Throws Error(invalid_argument) for a null pointer,
// and for a test source except with a test key.
std::shared_ptr<SecretRandom> random_for(const KeyId& key, std::shared_ptr<SecretRandom> random);

}  // namespace fhe
