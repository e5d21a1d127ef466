// SPDX-License-Identifier: Apache-2.0
// What keys publish, read as an attacker reads it: from the sections of the file of the key
// (libfhe/storage/FORMAT.md) and its public streams.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/she/keys.hpp"

namespace fhe::attack {

// The numbers that attacks are given; nothing for what the scheme or the group does not have.
struct PublishedNumbers {
  std::optional<Samples> elements;  // the public elements of the least noise
  std::optional<Samples> samples;   // these, and encrypted key bits
  std::optional<SquashedNumbers> squashed;
  std::optional<ProductFormNumbers> product_form;
  std::optional<QuadraticElements> quadratic;
  std::optional<WeightedElements> weighted;  // where there is sparse encryption
  std::optional<IdealNumbers> ideal;
};

// Of a public key. Throws Error(unsupported) for a key that is at the bottom of a ladder of modulus
// switching, and has no elements.
[[nodiscard]] PublishedNumbers published_by(const PublicKey& key);

// Of a key of numbers in slots: `count` new encryptions of zeros, which anybody has who knows or
// guesses what was encrypted. With `publish_modulus` also what the scheme never publishes: a
// multiple x0 of the primes, of gamma bits. Then the samples are divided by the plaintext modulus
// Q modulo x0, which leaves noise of rho bits; without x0 it has the bits of Q more.
[[nodiscard]] PublishedNumbers published_by(const she::SecretKey& key, std::size_t count,
                                            bool publish_modulus, const Monitor& monitor = {});

// The primes of a secret key, to compare with what was found; none of a scheme that has no primes.
[[nodiscard]] std::vector<Integer> primes_of(const SecretKey& key);
[[nodiscard]] std::vector<Integer> primes_of(const she::SecretKey& key);

// The secret w of a key of an ideal; nothing of other keys.
[[nodiscard]] std::optional<Integer> inverse_of(const SecretKey& key);

}  // namespace fhe::attack
