// SPDX-License-Identifier: Apache-2.0
// Public keys of groups that add up numbers of many, such as the votes of a ballot: everybody
// encrypts a number, anybody adds, and the holder of the secret key decrypts the sum.
//
// The key is tau elements x_i = Q r_i + p q_i < 2^gamma with |r_i| < 2^rho, compressed as chi_i -
// delta_i (Coron, Naccache, Tibouchi 2012, ePrint 2011/440, section 5). An encryption of m is
//
//   c = m + sum_i b_i x_i,   b_i uniform in [0, 2^alpha),
//
// over the integers and not reduced, so that no multiple of p need be known. Suppose that elements
// cannot be told from uniform integers x_i below 2^gamma (the decisional approximate common divisor
// assumption). Then c hides m: with S = sum_i b_i x_i, the pairs (x, S + m) and (x, S + m') have a
// statistical distance of at most 2^(-lambda - 1/2) for any two numbers m, m', if
//
//   alpha tau >= gamma + alpha + log2(tau) + 2 lambda.
//
// This is the leftover hash lemma for sums that are not reduced. The usual one is about S modulo
// 2^gamma; the bits above depend on the x_i too, so they are no leakage to be subtracted from the
// entropy of the b_i. But S takes fewer than N = tau 2^(alpha+gamma) values, so by Cauchy-Schwarz
// twice the distance is at most the root of 2 N (C(0) - C(m' - m)), where C(s) is the probability
// that two independent sums of the same elements differ by s, which is d . x = s for d = b - b':
//
// - d = 0, which has probability 2^(-alpha tau), makes C(0) larger by that;
// - if no integer but 1 divides all d_i, the x with d . x = 0 and those with d . x = s are the same
//   but for a shift by a short vector: they differ where some x_i is within it of 0 or 2^gamma,
//   which has a probability of about 2^(-2 gamma);
// - a larger divisor has a probability below 2^(alpha - tau), and then C(0) is at most 2^-gamma.
//
// The first term is all that counts: 2 N 2^(-alpha tau) <= 2 2^(-2 lambda). For n encryptions under
// one key the distance is n times as large.
//
// Threads and errors are as in libfhe/scheme/keys.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/export.hpp"
#include "libfhe/held.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::she {

// A public key. Cheap to copy (shares its contents).
class FHE_EXPORT PublicKey {
 public:
  // For the library; programs get keys from KeyGenerator or load_public_key.
  PublicKey(ParameterSet group, KeyId id, const StreamSeed& seed, std::vector<Integer> corrections);

  // The parameter group that it was made for, and its id.
  [[nodiscard]] const ParameterSet& group() const { return contents_->group; }
  [[nodiscard]] const KeyId& id() const { return contents_->id; }
  // The public seed of the chi_i, and the corrections delta_i.
  [[nodiscard]] const StreamSeed& seed() const { return contents_->seed; }
  [[nodiscard]] const std::vector<Integer>& corrections() const { return contents_->corrections; }

 private:
  struct Contents {
    ParameterSet group;
    KeyId id;
    StreamSeed seed;
    std::vector<Integer> corrections;
  };

  HeldPtr<const Contents> contents_;
};

// The integers chi_i that are corrected, under a seed.
[[nodiscard]] FHE_EXPORT PublicStream public_elements(const Parameters& parameters,
                                                      const StreamSeed& seed);

// Encrypts numbers under a public key, to be added up.
class FHE_EXPORT PublicEncryptor {
 public:
  // Encrypts with SystemRandom.
  explicit PublicEncryptor(const PublicKey& key, BackendPtr backend = open_backend());

  // Encrypts with a given source of randomness. A TestRandom is accepted for test keys only; throws
  // Error(invalid_argument) otherwise. One thread at a time per source.
  PublicEncryptor(const PublicKey& key, BackendPtr backend, std::shared_ptr<SecretRandom> random);

  // Encrypts a number below Q, or many, for which the elements of the key are generated once for
  // every 32. Weights never repeat for different numbers, also in processes that were copied and
  // machines that were restored: the difference of two ciphertexts would be that of their numbers.
  // Throws Error(invalid_argument) for a number that is not below Q, Error(wrong_result)
  // when the backend returns what would show the number, Error(randomness), Error(stopped).
  [[nodiscard]] Slots encrypt(std::uint64_t number, const Monitor& monitor = {}) const;
  [[nodiscard]] std::vector<Slots> encrypt_all(const std::vector<std::uint64_t>& numbers,
                                               const Monitor& monitor = {}) const;

 private:
  [[nodiscard]] std::vector<Integer> masks(std::size_t count, SecretRandom& random,
                                           const Monitor& monitor) const;

  PublicKey key_;
  Parameters parameters_;
  HeldPtr<const Backend> backend_;
  HeldPtr<SecretRandom> random_;
};

}  // namespace fhe::she
