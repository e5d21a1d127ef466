// SPDX-License-Identifier: Apache-2.0
// Compression as in CNT 2012 (ePrint 2011/440, section 5): an integer that is known modulo p is a
// public pseudo-random one minus a short correction. Of the elements of public keys, and of
// ciphertexts that the owner of the key makes. Not installed.
#pragma once

#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/compressed_ciphertexts.hpp"
#include "libfhe/scheme/dghv/parameters.hpp"
#include "libfhe/scheme/dghv/secret_primes.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

// Makes corrections of elements that are known modulo p.
class Corrector {
 public:
  // Keeps a reference to p.
  Corrector(std::size_t correction_bits, const Integer& p);

  // base + xi p in [0, 2^correction_bits) for a uniform xi below 2^correction_bits / p. Requires
  // base in (-p, p), such as (chi mod p) - e.
  [[nodiscard]] Integer correction(const Integer& base, SecretRandom& random) const;

 private:
  const Integer& p_;
  Integer limit_;
  Integer multiples_;
};

// Corrections delta_i = (chi_i mod p) + xi_i p - e_i with xi_i uniform in [0, 2^(lambda+eta) / p),
// so that chi_i - delta_i = e_i mod p. Each has at most lambda + eta = correction_bits bits.
// Without the xi_i p the largest of the delta_i would tell the leading bits of p. With l slots p is
// the product of all primes, l eta stands for eta, and e_i is what ChineseRemainders makes of its
// residues.
std::vector<Integer> compress(std::size_t correction_bits, const Integer& p,
                              const PublicStream& chi, const SecretIntegers& noise,
                              const Backend& backend, SecretRandom& random, const Monitor& monitor);

// The same from the residues e_ij of e_i modulo each prime. Where there are several, it works on a
// few hundred elements at a time, so that it takes little memory beside the corrections.
std::vector<Integer> compress(const Parameters& parameters, const ChineseRemainders& remainders,
                              const PublicStream& chi, const SlotIntegers& residues,
                              const Backend& backend, SecretRandom& random, const Monitor& monitor);

// Bound on the noise 2 r + m of what encrypt_compressed() makes: 2^(rho+1).
NoiseBound owner_noise(const Parameters& parameters);

// Encrypts the bits of the slots of each ciphertext, those of the first before those of the second:
// m_i as chi_i - delta_i with noise e_i = 2 r_i + m_i in its slot, r_i uniform in (-2^rho, 2^rho).
// That is how the encrypted key bits sigma_i are made, from a seed of its own for each call; so it
// is as hidden as these are, under no new assumption.
//
// The same chi_i and r_i on two different bits would give p away, as gcd(c - c' +- 1, x0), so seed
// and secrets come from HedgedRandom.
CompressedCiphertexts encrypt_compressed(const Parameters& parameters,
                                         const ChineseRemainders& remainders,
                                         const std::vector<bool>& bits, const KeyId& id,
                                         const Backend& backend, SecretRandom& random,
                                         const Monitor& monitor);

}  // namespace fhe::dghv
