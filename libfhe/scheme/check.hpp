// SPDX-License-Identifier: Apache-2.0
// Whether keys are sound, and whether a public and a secret key belong together: what readers check
// in every key, and what only the secret key or a trial can show.
//
// A public key that was altered, with digests that fit, encrypts and recrypts without an error, but
// to wrong bits; halves of two different pairs, or a pair that was damaged before it was written,
// would be noticed at the first decryption only. These functions find it at once. They give one
// finding for each thing that they looked at, and never tell a secret. Any number of threads may
// call them.
#pragma once

#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/export.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe {

// Checks a public key without the secret one: recrypts a 0 and a 1, of whose results only the form
// can be judged. Values that no key generation makes, such as a list of zeros, were refused when
// the key was read. Takes the time of two encryptions and two recryptions.
[[nodiscard]] FHE_EXPORT std::vector<KeyFinding> check_key(
    const PublicKey& key, const BackendPtr& backend = open_backend(), const Monitor& monitor = {});

// Checks a secret key without the public one: what must be prime, and the decryption of constants.
[[nodiscard]] FHE_EXPORT std::vector<KeyFinding> check_key(const SecretKey& key);

// Checks two keys that are sound by themselves: whether they belong to one pair; every value of the
// public key that the secret one opens (public elements, squashed key, encrypted key bits: their
// bits and their noise); and whether a 0 and a 1 come back from encryption and from recryption
// within the noise that is claimed for them. Takes about the time of a key generation and of
// check_key. Keys of two different pairs give that finding alone.
[[nodiscard]] FHE_EXPORT std::vector<KeyFinding> check_key_pair(
    const PublicKey& public_key, const SecretKey& secret_key,
    const BackendPtr& backend = open_backend(), const Monitor& monitor = {});

// Whether every finding passed.
[[nodiscard]] FHE_EXPORT bool all_passed(const std::vector<KeyFinding>& findings);

}  // namespace fhe
