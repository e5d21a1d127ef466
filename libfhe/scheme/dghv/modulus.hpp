// SPDX-License-Identifier: Apache-2.0
// The modulus x0 = q0 pi of the DGHV family and its secret primes. Not installed.
#pragma once

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/dghv/parameters.hpp"
#include "libfhe/scheme/dghv/secret_primes.hpp"

namespace fhe::dghv {

struct Modulus {
  SecretPrimes primes;  // random primes of exactly eta bits, one for each slot
  Integer x0;           // pi q0, of exactly gamma bits and odd
};

// Random primes of exactly eta bits, one for each slot.
SecretIntegers generate_primes(std::size_t slots, std::size_t eta, const Backend& backend,
                               SecretRandom& random, const Monitor& monitor);

// q0 is a product of random primes of `prime_bits` bits and one more of up to three times as many
// that fills x0 up to exactly gamma bits, so q0 is 2^(prime_bits - 1)-rough (CNT 2012, ePrint
// 2011/440: q0 square-free and 2^lambda-rough; a repeated prime has negligible probability).
// The factors are secret, so they are multiplied here, by GMP, and not on a backend that may be a
// device; a backend that is none may test candidates (Backend::fermat_test). Requires gamma >=
// slots eta + 3 prime_bits.
Modulus generate_modulus(std::size_t slots, std::size_t eta, std::size_t gamma,
                         std::size_t prime_bits, const Backend& backend, SecretRandom& random,
                         const Monitor& monitor);

// x0 = 2^gamma - r with a short r, so that it reduces itself (libfhe/arith/complement.hpp). This is
// an assumption of our own, without a proof:
//
//   q0 = floor(2^gamma / p) - k,   r = 2^gamma - q0 p = (2^gamma mod p) + k p < 2^(eta+offset_bits)
//
// p is a uniform prime as ever, and k a uniform secret number of `offset_bits` bits among those for
// which q0 has no prime factor below 2^rough_bits.
//
// What is known about q0: it is odd, and rough up to the sieve's bound. What is not: whether it is
// square-free or 2^lambda-rough, as CNT asks; nobody can check that for a number of gamma - eta
// bits that is not made of known primes. With probability 1 - rough_bits / lambda it has a factor
// below 2^lambda. Modulo a factor f of q0 a ciphertext is as random as r makes it, and says nothing
// of p; but the leftover hash lemma of encryption loses a term of about f^-tau. What r reveals:
// whoever guesses k knows as many leading bits of p as he has guessed; and r is one more number
// that is known modulo p, 2^gamma, of full size. No attack is known that uses it, as none is on
// RSA moduli with a predetermined half (Vanstone and Zuccherini 1995, Lenstra 1998), but none of
// the proofs of the papers covers it. Requires gamma >= 2 (eta + offset_bits).
Modulus generate_special_modulus(std::size_t eta, std::size_t gamma, const SpecialModulus& form,
                                 const Backend& backend, SecretRandom& random,
                                 const Monitor& monitor);

// The one of the two that the group asks for.
Modulus generate_modulus(const Parameters& parameters, const Backend& backend, SecretRandom& random,
                         const Monitor& monitor);

}  // namespace fhe::dghv
