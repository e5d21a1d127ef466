// SPDX-License-Identifier: Apache-2.0
// The objects that programs hold: keys and what is done with them.
//
// Threads: const objects may be shared by any number of threads; a SecretKey may be moved, never
// copied.
//
// Errors: every operation gives the right result or throws fhe::Error, as listed at each function
// and also with the codes
//   stopped        the monitor's stop was requested,
//   out_of_memory  the system gave no more memory,
//   wrong_result   a result failed its check: the backend, the device or the memory is faulty,
//                  or the public key was altered (check.hpp),
// and what a backend throws when it cannot serve (io, unsupported). An object that was moved from,
// and a null pointer in place of a backend or of randomness, are Error(invalid_argument). That
// holds with any number of threads, inside a oneTBB group that the caller cancels, and beside a
// loop body that throws. A call that throws has changed nothing; it may be repeated.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/export.hpp"
#include "libfhe/held.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/compressed_ciphertexts.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe {

class ZeroPool;  // libfhe/scheme/zero_pool.hpp

// The id of the public key of this group with these contents (libfhe/storage/FORMAT.md, "Key id").
// Throws Error(stopped).
[[nodiscard]] FHE_EXPORT KeyId key_id_of(const ParameterSet& parameters,
                                         const PublicMaterial& material, bool test_key,
                                         const Monitor& monitor = {});

// A public key: encrypts, computes and recrypts. Cheap to copy (shares its contents).
class FHE_EXPORT PublicKey {
 public:
  // For scheme.hpp and files.hpp; programs get keys from KeyGenerator or load_public_key.
  PublicKey(ParameterSet parameters, KeyId id, std::shared_ptr<const PublicMaterial> material);

  // The parameter group that it was made for, and its id.
  [[nodiscard]] const ParameterSet& parameters() const { return contents_->parameters; }
  [[nodiscard]] const KeyId& id() const { return contents_->id; }
  // Ciphertexts of this key are integers in [0, modulus()).
  [[nodiscard]] const Integer& modulus() const { return material().modulus(); }
  // How many bits a ciphertext holds, each in a slot of its own: 1 unless the scheme has slots.
  [[nodiscard]] std::size_t slots() const { return material().slots(); }
  // The values of the key, as its scheme knows them.
  [[nodiscard]] const PublicMaterial& material() const { return *contents_->material; }

  // The key on a backend. Takes the time of one division of numbers as long as the modulus.
  [[nodiscard]] std::shared_ptr<const KeyContext> context(const BackendPtr& backend,
                                                          const RecryptOptions& options = {}) const;

 private:
  struct Contents {
    ParameterSet parameters;
    KeyId id;
    std::shared_ptr<const PublicMaterial> material;
  };

  HeldPtr<const Contents> contents_;
};

// A secret key. May be moved, not copied. Its memory is overwritten when the key and all decryptors
// made from it are destroyed.
class FHE_EXPORT SecretKey {
 public:
  // For scheme.hpp and files.hpp; programs get keys from KeyGenerator or load_secret_key.
  SecretKey(ParameterSet parameters, KeyId id, std::unique_ptr<const SecretMaterial> material);
  // Moves the key; every use of the one that it is moved from throws Error(invalid_argument).
  SecretKey(SecretKey&&) noexcept = default;
  SecretKey& operator=(SecretKey&&) noexcept = default;

  // The parameter group that it was made for, its id, and its values, as its scheme knows them.
  [[nodiscard]] const ParameterSet& parameters() const { return contents_->parameters; }
  [[nodiscard]] const KeyId& id() const { return contents_->id; }
  [[nodiscard]] const SecretMaterial& material() const { return *contents_->material; }
  // How many bits a ciphertext holds, as PublicKey::slots().
  [[nodiscard]] std::size_t slots() const { return material().slots(); }

 private:
  friend class Decryptor;
  friend class SecretEncryptor;

  struct Contents {
    ParameterSet parameters;
    KeyId id;
    std::shared_ptr<const SecretMaterial> material;
  };

  HeldPtr<const Contents> contents_;
};

// What KeyGenerator makes.
struct FHE_EXPORT KeyPair {
  PublicKey public_key;  // to be given to others
  SecretKey secret_key;  // stays with its owner
};

// A text from which every secret and the public seed are derived, so that a test can be repeated
// exactly. Keys made in this way are marked as test keys for ever, in memory and in their files.
struct FHE_EXPORT TestSeed {
  std::string text;  // any text
};

// Makes keys of one parameter group.
class FHE_EXPORT KeyGenerator {
 public:
  // Throws Error(invalid_parameters) for a group of another family (require_family), for raw
  // benchmark sizes, and for a group whose keys no reader would accept (ParameterSet::flaw);
  // Error(invalid_argument) for options that its keys cannot have: permutations of another number
  // of slots, of one slot, the identity, one of them twice, or more than 256.
  explicit KeyGenerator(ParameterSet parameters, BackendPtr backend = open_backend(),
                        KeyOptions options = {});

  // A new, independent key pair, which the readers of files.hpp accept and whose recrypted
  // ciphertexts keep within the noise that they claim, in the sense that the scheme states. With a
  // test seed: the pair of that seed. Throws Error(invalid_parameters), naming field and figures,
  // when the group makes no such keys; Error(randomness) when the random generator fails;
  // Error(stopped).
  [[nodiscard]] KeyPair generate(const Monitor& monitor = {}) const;
  [[nodiscard]] KeyPair generate(const TestSeed& seed, const Monitor& monitor = {}) const;

 private:
  [[nodiscard]] KeyPair generate(const StreamSeed& public_seed, SecretRandom& random,
                                 const Monitor& monitor) const;

  ParameterSet parameters_;
  HeldPtr<const Backend> backend_;
  KeyOptions options_;
};

// Encrypts bits under a public key.
class FHE_EXPORT Encryptor {
 public:
  // Encrypts with SystemRandom. Keeps the contents of the key alive.
  explicit Encryptor(const PublicKey& key, const BackendPtr& backend = open_backend());

  // Encrypts with a given source of randomness. A TestRandom is accepted for test keys only; throws
  // Error(invalid_argument) otherwise. One thread at a time per source.
  Encryptor(const PublicKey& key, const BackendPtr& backend, std::shared_ptr<SecretRandom> random);

  // Does once what many encryptions need, so that all of them are fast from the first on, and keeps
  // it in memory as long as the encryptor lives: for GH the powers of r (about 13 MB at n = 512,
  // 24 MB at 2048, 190 MB at 8192, 1.5 GB at 32768); for CMNT what products with half of the public
  // elements need (up to 1.5 GB); for CNT nothing. Without this call it is done at the bit that
  // makes it worthwhile: the first for CMNT, the second to fifth for GH.
  void prepare(const Monitor& monitor = {}) const;

  // Makes encryptions of zero in the background, on a thread of its own, until `count` are there:
  // each makes a later encryption of one bit an addition, a millisecond at Large. So a program that
  // encrypts now and then answers at once, for the same work. Returns at once; prepared() says how
  // many are there. They are wiped when the last copy of the encryptor goes, and none is used
  // twice: a copy of the process (fork) has none of them. Where a machine is saved and restored,
  // encryptors must be made anew, as two ciphertexts of one zero tell whether their bits are equal.
  // An error ends the work, and encryptions do without. Sparse encryption does not use them. Throws
  // Error(invalid_argument) above kMostPrepared.
  void prepare(std::size_t count) const;
  static constexpr std::size_t kMostPrepared = std::size_t{1} << 16;  // 1.2 to 160 GB of memory
  [[nodiscard]] std::size_t prepared() const;

  // Encrypts one bit, or many at once: a batch generates the elements of the public key only once.
  // Where ciphertexts have several slots, the bit is in all of them. What is drawn never repeats
  // for other bits, also in processes that were copied and machines that were restored: the
  // difference of two ciphertexts would be that of their bits.
  [[nodiscard]] Ciphertext encrypt(bool bit, const EncryptOptions& options = {},
                                   const Monitor& monitor = {}) const;
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                const EncryptOptions& options = {},
                                                const Monitor& monitor = {}) const;

  // Encrypts the bits of the slots of one ciphertext, or of many at once. Throws
  // Error(invalid_argument) for another number of bits than the key has slots.
  [[nodiscard]] Ciphertext encrypt_slots(const SlotBits& bits, const EncryptOptions& options = {},
                                         const Monitor& monitor = {}) const;
  [[nodiscard]] std::vector<Ciphertext> encrypt_slots(const std::vector<SlotBits>& rows,
                                                      const EncryptOptions& options = {},
                                                      const Monitor& monitor = {}) const;

 private:
  [[nodiscard]] std::vector<Ciphertext> encrypt_hedged(const std::vector<bool>& bits,
                                                       std::span<const SlotBits> rows,
                                                       const EncryptOptions& options,
                                                       const Monitor& monitor) const;
  [[nodiscard]] std::vector<Ciphertext> encrypt_prepared(const std::vector<bool>& bits) const;

  HeldPtr<const KeyContext> key_;
  HeldPtr<SecretRandom> random_;
  HeldPtr<ZeroPool> zeros_;
};

// Encrypts bits as the owner of the secret key, for the schemes over the integers. For CNT and
// CMNT: 10 to 4000 times faster than with the public key, in 129 to 346 bytes a bit instead of 18
// kB to 2.4 MB, and with so little noise that some 36 products are possible before the first
// recryption (gh: Error(unsupported)).
class FHE_EXPORT SecretEncryptor {
 public:
  // Encrypts with SystemRandom. The contents of the key stay in memory until both are destroyed.
  explicit SecretEncryptor(const SecretKey& key, BackendPtr backend = open_backend());

  // As for Encryptor: a TestRandom is accepted for test keys only.
  SecretEncryptor(const SecretKey& key, BackendPtr backend, std::shared_ptr<SecretRandom> random);

  // Encrypts the bits, under a public seed of its own for each call: many at once are faster and
  // take one seed. Where ciphertexts have several slots, a bit is in all of them, or encrypt_slots
  // takes one for each. Seeds and secrets never repeat for different bits, also in processes that
  // were copied and machines that were restored; so no caller has to take care. At most 2^32 bits.
  // Throws Error(unsupported), Error(invalid_argument), Error(randomness), Error(stopped).
  [[nodiscard]] CompressedCiphertexts encrypt(const std::vector<bool>& bits,
                                              const Monitor& monitor = {}) const;
  [[nodiscard]] CompressedCiphertexts encrypt_slots(const std::vector<SlotBits>& rows,
                                                    const Monitor& monitor = {}) const;

 private:
  HeldPtr<const SecretKey::Contents> key_;
  HeldPtr<const Backend> backend_;
  HeldPtr<SecretRandom> random_;
};

// The whole ciphertexts of compressed ones: of an element of a public stream each, on all threads.
// Throws Error(wrong_key) for those of another key, Error(invalid_argument) for one that no owner
// made, Error(stopped).
[[nodiscard]] FHE_EXPORT std::vector<Ciphertext> expand(const CompressedCiphertexts& compressed,
                                                        const PublicKey& key,
                                                        const Monitor& monitor = {});
[[nodiscard]] FHE_EXPORT std::vector<Ciphertext> expand(const CompressedCiphertexts& compressed,
                                                        const SecretKey& key,
                                                        const Monitor& monitor = {});

// Decrypts the ciphertexts of one secret key.
class FHE_EXPORT Decryptor {
 public:
  // Shares the contents of the key, which stay in memory until both are destroyed. What is
  // precomputed takes less than a tenth of a decryption's time without it.
  explicit Decryptor(const SecretKey& key, const BackendPtr& backend = open_backend());

  // The bit, where ciphertexts have several slots the one that is in all of them. Refuses to guess:
  // throws
  //   Error(wrong_key)         the ciphertext belongs to another key,
  //   Error(invalid_argument)  its value is not below the modulus,
  //   Error(noise_exceeded)    its noise bound exceeds the limit, or its real noise exceeds its
  //                            bound (overflowed or forged): the bit would be meaningless,
  //   Error(unsupported)       its slots hold different bits: decrypt_slots gives them.
  // No message tells how much noise there is; measure_noise() does, to the holder of the key.
  //
  // Never let others learn the result, or whether there was one, for ciphertexts of their choice:
  // each answer compares the noise, |c mod p| for the schemes over the integers, with the bound
  // that the ciphertext claims, and gives its parity when it is not larger. Bisection finds p with
  // about as many answers as p has bits (security is IND-CPA only).
  [[nodiscard]] bool decrypt(const Ciphertext& c) const;
  // All bits, or the Error of the first ciphertext that is refused, with its index in the vector.
  // Each ciphertext that was looked at is one such answer. Throws Error(stopped).
  [[nodiscard]] std::vector<bool> decrypt(const std::vector<Ciphertext>& cs,
                                          const Monitor& monitor = {}) const;

  // The bits of all slots. Throws as decrypt, except for Error(unsupported).
  [[nodiscard]] SlotBits decrypt_slots(const Ciphertext& c) const;
  [[nodiscard]] std::vector<SlotBits> decrypt_slots(const std::vector<Ciphertext>& cs,
                                                    const Monitor& monitor = {}) const;

 private:
  HeldPtr<const SecretKey::Contents> key_;
  HeldPtr<const SecretContext> context_;
};

}  // namespace fhe
