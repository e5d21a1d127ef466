// SPDX-License-Identifier: Apache-2.0
// Secret keys of numbers in slots: made, and used to encrypt and to decrypt. Arithmetic on what
// they encrypt needs no key (slots.hpp).
//
// The owner of the key encrypts and decrypts; others compute. What they compute is hidden from
// nobody who sees operands and result (slots.hpp). Groups for sums also have public keys
// (public_key.hpp), with which others encrypt. The groups she-128-* are meant to be
// secure against the attacks that params/ names, with sizes that the published groups of the other
// schemes do not have; the problem, approximate common divisors with many primes, is much less
// studied than lattices with errors.
//
// Threads and errors are as in libfhe/scheme/keys.hpp.
#pragma once

#include <memory>
#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/export.hpp"
#include "libfhe/held.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/compressed_slots.hpp"
#include "libfhe/scheme/she/public_key.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::she {

class SecretSlots;  // the primes, libfhe/scheme/she/secret_slots.hpp

// A secret key. May be moved, not copied. Its memory is overwritten when the key and all that was
// made from it are destroyed.
class FHE_EXPORT SecretKey {
 public:
  // For the library; programs get keys from KeyGenerator.
  SecretKey(KeyId id, std::shared_ptr<const SecretSlots> contents);
  // Moves the key; every use of the one that it is moved from throws Error(invalid_argument).
  SecretKey(SecretKey&&) noexcept = default;
  SecretKey& operator=(SecretKey&&) noexcept = default;

  // The parameter group that it was made for, and its id.
  [[nodiscard]] const ParameterSet& group() const;
  [[nodiscard]] const KeyId& id() const {
    static_cast<void>(contents());  // throws where it was moved from
    return id_;
  }
  // Its primes.
  [[nodiscard]] const std::shared_ptr<const SecretSlots>& contents() const {
    return contents_.pointer();
  }

 private:
  KeyId id_;
  HeldPtr<const SecretSlots> contents_;
};

// A key pair of a group that has public keys.
struct FHE_EXPORT KeyPair {
  PublicKey public_key;  // to be given to others
  SecretKey secret_key;  // stays with its owner
};

// Makes keys of one parameter group.
class FHE_EXPORT KeyGenerator {
 public:
  // Throws Error(invalid_parameters) for a group of another family, and for one whose keys no
  // reader would accept (ParameterSet::flaw).
  explicit KeyGenerator(ParameterSet group, BackendPtr backend = open_backend());

  // A new, independent key. With a test seed: the key of that seed, which is marked as a test key
  // for ever. Throws Error(randomness) when the random generator fails; Error(invalid_parameters)
  // when two primes are equal, which happens with tiny groups only, and, but for a test key, when
  // the estimator calls the group broken and its lambda claims more; Error(stopped).
  [[nodiscard]] SecretKey generate(const Monitor& monitor = {}) const;
  [[nodiscard]] SecretKey generate(const TestSeed& seed, const Monitor& monitor = {}) const;

  // Likewise a key pair. Each of the two functions throws Error(invalid_parameters) for groups of
  // the other one: Parameters::has_public_keys().
  [[nodiscard]] KeyPair generate_pair(const Monitor& monitor = {}) const;
  [[nodiscard]] KeyPair generate_pair(const TestSeed& seed, const Monitor& monitor = {}) const;

 private:
  [[nodiscard]] SecretKey generate(SecretRandom& random, const Monitor& monitor) const;
  [[nodiscard]] KeyPair generate_pair(const StreamSeed& seed, SecretRandom& random,
                                      const Monitor& monitor) const;

  ParameterSet group_;
  HeldPtr<const Backend> backend_;
};

// Encrypts numbers as the owner of the secret key. It computes with the software engine on this
// machine, as decryption does: a device would see the primes.
class FHE_EXPORT Encryptor {
 public:
  // Encrypts with SystemRandom. The contents of the key stay in memory until both are destroyed.
  explicit Encryptor(const SecretKey& key);

  // Encrypts with a given source of randomness. A TestRandom is accepted for test keys only; throws
  // Error(invalid_argument) otherwise. One thread at a time per source.
  Encryptor(const SecretKey& key, std::shared_ptr<SecretRandom> random);

  // Encrypts the numbers of one ciphertext, or of many; missing numbers are 0. Secrets never repeat
  // for different numbers, also in processes that were copied and machines that were restored.
  // Throws Error(invalid_argument) for more numbers than slots and for a number that is not below
  // Q, Error(randomness), Error(stopped).
  [[nodiscard]] Slots encrypt(const SlotNumbers& numbers, const Monitor& monitor = {}) const;
  [[nodiscard]] std::vector<Slots> encrypt_all(const std::vector<SlotNumbers>& rows,
                                               const Monitor& monitor = {}) const;

  // The same ciphertexts as a seed and a correction each, for files and networks. At most 2^32.
  [[nodiscard]] CompressedSlots encrypt_compressed(const std::vector<SlotNumbers>& rows,
                                                   const Monitor& monitor = {}) const;

 private:
  KeyId id_;
  HeldPtr<const SecretSlots> contents_;
  HeldPtr<SecretRandom> random_;
};

// Decrypts the ciphertexts of one secret key.
class FHE_EXPORT Decryptor {
 public:
  // Shares the contents of the key, which stay in memory until both are destroyed.
  explicit Decryptor(const SecretKey& key);

  // The numbers of all slots. Refuses to guess: throws as require_slots_of(), and
  // Error(noise_exceeded) when the real noise exceeds the claimed bound in any slot (forged: the
  // numbers would be meaningless). No message tells how much noise there is; measure_noise() does,
  // to the holder of the key.
  //
  // Never let others learn the result, or whether there was one, for ciphertexts of their choice:
  // as for the other schemes over the integers, each answer tells something about |c mod p_j|, and
  // some hundreds of them give a prime away (security is IND-CPA only).
  [[nodiscard]] SlotNumbers decrypt(const Slots& x) const;
  // The numbers of each, or the Error of the first that is refused, with its index. Throws
  // Error(stopped).
  [[nodiscard]] std::vector<SlotNumbers> decrypt_all(const std::vector<Slots>& xs,
                                                     const Monitor& monitor = {}) const;

 private:
  KeyId id_;
  HeldPtr<const SecretSlots> contents_;
};

// The largest noise of x in any slot, |Q r_j + m_j|: what the bound of x claims to be a bound of.
// For the owner's diagnosis only: the time that it takes depends on the noise. Throws as
// require_slots_of().
[[nodiscard]] FHE_EXPORT Integer measure_noise(const SecretKey& key, const Slots& x);

}  // namespace fhe::she
