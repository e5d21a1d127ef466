// SPDX-License-Identifier: Apache-2.0
// The modulus x0 = q0 p of the DGHV family and its secret prime. Not installed.
#pragma once

#include "libfhe/arith/integer.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

struct Modulus {
  SecretInteger p;  // a random prime of exactly eta bits
  Integer x0;       // p q0, of exactly gamma bits and odd
};

// q0 is a product of random primes of `prime_bits` bits and one more of up to three times as many
// that fills x0 up to exactly gamma bits, so q0 is 2^(prime_bits - 1)-rough (CNT 2012, ePrint
// 2011/440: q0 square-free and 2^lambda-rough; a repeated prime has negligible probability).
// The factors are secret, so they are multiplied here, by GMP, and not on a backend that may be a
// device. Requires gamma >= eta + 3 prime_bits.
Modulus generate_modulus(std::size_t eta, std::size_t gamma, std::size_t prime_bits,
                         SecretRandom& random, const Monitor& monitor);

}  // namespace fhe::dghv
