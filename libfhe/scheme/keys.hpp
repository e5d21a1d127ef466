// The objects that programs hold: keys and what is done with them.
//
// Threads: const objects may be shared by any number of threads; a SecretKey may be moved, never
// copied.
//
// Errors: every operation gives the right result or throws fhe::Error, as listed at each function
// and besides with the codes
//   stopped        the monitor's stop was requested,
//   out_of_memory  the system gave no more memory,
//   wrong_result   a result failed its check: the backend, the device or the memory is faulty,
//                  or the public key was altered (check.hpp),
// and what a backend throws when it cannot serve (io, unsupported). That holds at any number of
// threads, inside a oneTBB group that the caller cancels, and beside a body that throws. A call
// that throws has changed nothing; it may be repeated.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe {

// A public key: encrypts, computes and recrypts. Cheap to copy (shares its contents).
class PublicKey {
 public:
  // For scheme.hpp and files.hpp; programs get keys from KeyGenerator or load_public_key.
  PublicKey(ParameterSet parameters, KeyId id, std::shared_ptr<const PublicMaterial> material);

  [[nodiscard]] const ParameterSet& parameters() const { return parameters_; }
  [[nodiscard]] const KeyId& id() const { return id_; }
  // Ciphertexts of this key are integers in [0, modulus()).
  [[nodiscard]] const Integer& modulus() const { return material_->modulus(); }
  [[nodiscard]] const PublicMaterial& material() const { return *material_; }

  // The key on a backend. Takes the time of a division of numbers of the modulus's size.
  [[nodiscard]] std::shared_ptr<const BoundKey> bind(const BackendPtr& backend,
                                                     const RecryptOptions& options = {}) const;

 private:
  ParameterSet parameters_;
  KeyId id_;
  std::shared_ptr<const PublicMaterial> material_;
};

// A secret key. Its memory is overwritten when it and the decryptors made of it are dropped.
class SecretKey {
 public:
  SecretKey(ParameterSet parameters, KeyId id, std::unique_ptr<const SecretMaterial> material);
  SecretKey(SecretKey&&) noexcept = default;
  SecretKey& operator=(SecretKey&&) noexcept = default;

  [[nodiscard]] const ParameterSet& parameters() const { return parameters_; }
  [[nodiscard]] const KeyId& id() const { return id_; }
  [[nodiscard]] const SecretMaterial& material() const { return *material_; }

 private:
  friend class Decryptor;

  ParameterSet parameters_;
  KeyId id_;
  std::shared_ptr<const SecretMaterial> material_;
};

struct KeyPair {
  PublicKey public_key;
  SecretKey secret_key;
};

// Derives every secret and the public seed from a text, so that a test can be repeated exactly.
// Keys made so are marked as test keys, in memory and in their files, for ever.
struct TestSeed {
  std::string text;
};

class KeyGenerator {
 public:
  // Throws Error(invalid_parameters) for a group that makes no keys (raw benchmark sizes), and for
  // one whose keys no reader would take (ParameterSet::flaw).
  explicit KeyGenerator(ParameterSet parameters, BackendPtr backend = open_backend());

  // A new, independent key pair, which the readers of files.hpp take and whose recrypted
  // ciphertexts keep within the noise that they claim, as the scheme states it. Throws
  // Error(invalid_parameters) when the group makes no such keys, naming field and figures;
  // Error(randomness) when the random generator fails; Error(stopped).
  [[nodiscard]] KeyPair generate(const Monitor& monitor = {}) const;
  [[nodiscard]] KeyPair generate(const TestSeed& seed, const Monitor& monitor = {}) const;

 private:
  [[nodiscard]] KeyPair generate(const StreamSeed& public_seed, SecretRandom& random,
                                 const Monitor& monitor) const;

  ParameterSet parameters_;
  BackendPtr backend_;
};

class Encryptor {
 public:
  explicit Encryptor(const PublicKey& key, const BackendPtr& backend = open_backend());

  // Encrypts with an explicit source of randomness. A TestRandom is accepted for test keys only;
  // throws Error(invalid_argument) otherwise. One thread at a time per source.
  Encryptor(const PublicKey& key, const BackendPtr& backend, std::shared_ptr<SecretRandom> random);

  // Does once what many encryptions need, so that all of them are fast from the first on, and keeps
  // it in memory as long as the encryptor: for GH the powers of r (about 13 MB at n = 512, 24 MB at
  // 2048, 190 MB at 8192, 1.5 GB at 32768); for CMNT what products with half of the public elements
  // need (up to 1.5 GB); for CNT there is nothing to do. Without this call it is done by the bit
  // that makes it worth it: for CMNT the first, for GH the second to fifth.
  void prepare(const Monitor& monitor = {}) const;

  // One bit, or many at once: a batch generates the public key's elements only once.
  [[nodiscard]] Ciphertext encrypt(bool bit, const EncryptOptions& options = {},
                                   const Monitor& monitor = {}) const;
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                const EncryptOptions& options = {},
                                                const Monitor& monitor = {}) const;

 private:
  std::shared_ptr<const BoundKey> key_;
  std::shared_ptr<SecretRandom> random_;
};

class Decryptor {
 public:
  // Shares the contents of the key, which stay in memory until both are dropped.
  explicit Decryptor(const SecretKey& key) : id_(key.id()), material_(key.material_) {}

  // The bit. Refuses instead of guessing: throws
  //   Error(wrong_key)         the ciphertext belongs to another key,
  //   Error(invalid_argument)  its value is not below the modulus,
  //   Error(noise_exceeded)    its noise bound is past the limit, or its real noise is past its
  //                            bound (overflowed or forged): the bit would be meaningless.
  // No message tells how much noise there is; measure_noise() does, to who holds the key.
  //
  // Never let others learn the result, or whether there was one, for ciphertexts of their choice:
  // each answer compares the noise, |c mod p| for the schemes over the integers, with the bound
  // that the ciphertext claims, and gives its parity when it is not larger. Bisection finds p with
  // about as many answers as it has bits (IND-CPA security only).
  [[nodiscard]] bool decrypt(const Ciphertext& c) const;
  // All bits, or the Error of the first ciphertext that is refused, with its number in the vector:
  // as many answers as ciphertexts were looked at. Throws Error(stopped).
  [[nodiscard]] std::vector<bool> decrypt(const std::vector<Ciphertext>& cs,
                                          const Monitor& monitor = {}) const;

 private:
  KeyId id_;
  std::shared_ptr<const SecretMaterial> material_;
};

}  // namespace fhe
