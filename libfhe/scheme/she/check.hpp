// SPDX-License-Identifier: Apache-2.0
// Whether keys of numbers in slots are sound, and whether a public and a secret key belong
// together, as libfhe/scheme/check.hpp has it for keys of bits: one finding for each thing that was
// looked at, never a secret, and any number of threads. The functions throw Error(stopped) and
// Error(randomness); all_passed() of check.hpp sums findings up.
#pragma once

#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/export.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/check.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/she/public_key.hpp"

namespace fhe::she {

// Checks a secret key: whether its primes are primes of eta bits and no two are equal; whether its
// id is that of its primes, in groups without public keys; and whether random numbers in all slots
// come back from encryption, from a sum and, in groups of some depth, from a product.
[[nodiscard]] FHE_EXPORT std::vector<KeyFinding> check_key(const SecretKey& key,
                                                           const Monitor& monitor = {});

// Checks a public key without the secret one: whether it has as many corrections as its group says,
// in range and all different; whether its id is that of its contents; and whether a 0 and a 1
// encrypt to what hides them. Only the secret key can tell whether they decrypt.
[[nodiscard]] FHE_EXPORT std::vector<KeyFinding> check_key(
    const PublicKey& key, const BackendPtr& backend = open_backend(), const Monitor& monitor = {});

// Checks two keys that are sound by themselves: whether they belong to one pair, whether every
// element of the public key has the noise of an encrypted 0, and whether random numbers and their
// sum come back from encryption under the public key. Keys of two different pairs give that finding
// alone.
[[nodiscard]] FHE_EXPORT std::vector<KeyFinding> check_key_pair(
    const PublicKey& public_key, const SecretKey& secret_key,
    const BackendPtr& backend = open_backend(), const Monitor& monitor = {});

}  // namespace fhe::she
