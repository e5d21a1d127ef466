// SPDX-License-Identifier: Apache-2.0
// What is common to the searches for primes. Not installed.
#pragma once

#include <cstddef>
#include <span>

#include "libfhe/arith/integer.hpp"
#include "libfhe/error.hpp"
#include "libfhe/random/secret_random.hpp"

namespace fhe {

// uniform_bits() into as many limbs as `bits` take.
void uniform_bits(SecretRandom& random, std::size_t bits, std::span<Limb> limbs);

// What uniform_prime() in secret_random.hpp takes for a prime.
bool is_probable_prime(const Integer& candidate);

// Candidates of so many bits after which a search gives up: about one in 0.7 * bits is prime, so
// that this many misses have a probability of e^-144.
std::size_t prime_attempts(std::size_t bits);
Error no_prime_found(std::size_t bits);

}  // namespace fhe
