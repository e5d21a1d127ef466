// SPDX-License-Identifier: Apache-2.0
// Measuring the real noise of a ciphertext. Needs the secret key, and is for its owner's diagnosis
// only: the figure tells something about the key, and so does the time that the measurement takes.
#pragma once

#include <vector>

#include "libfhe/export.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe {

// The real noise of c, rounded up to the next 1/1024 bit (DGHV: |2r + m| = |[c]_p|). It says
// nothing about a ciphertext whose noise has overflowed: the residue then looks like a random
// number below p/2. Throws Error(wrong_key) and Error(invalid_argument) as Decryptor::decrypt does.
FHE_EXPORT NoiseBound measure_noise(const SecretKey& key, const Ciphertext& c);

// The same in each slot; measure_noise() is the largest of them.
FHE_EXPORT std::vector<NoiseBound> measure_slot_noise(const SecretKey& key, const Ciphertext& c);

}  // namespace fhe
