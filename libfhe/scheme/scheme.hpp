// What a scheme is to the rest of the library: five small interfaces and one registration table.
//
// Gates, files, circuits and programs know only these and keys.hpp. A scheme implements them and
// adds one line to the table in schemes.cpp; nothing else names it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/noise.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/wire/container.hpp"

namespace fhe {

struct EncryptOptions {
  // Sum over weights b_i of low Hamming weight (theta = 15 ones) instead of uniform ones. Faster on
  // some accelerators, but WITHOUT the leftover-hash argument for security: for experiments only.
  // A scheme without such weights throws Error(unsupported).
  bool sparse = false;
};

struct RecryptOptions {
  // Adder circuit by name ("sym", "ctr2", ...; see adder.hpp); empty for the group's own choice.
  std::string adder;
};

// A public key on a backend: everything that anyone who has the public key can do. Immutable as far
// as results go; any number of threads may use it. All results are in [0, modulus) with noise
// bounds that are proven unless the scheme says otherwise.
class BoundKey {
 public:
  virtual ~BoundKey() = default;

  [[nodiscard]] virtual const Ring& ring() const = 0;
  [[nodiscard]] virtual const KeyId& id() const = 0;
  [[nodiscard]] virtual NoiseRule noise_rule() const = 0;

  // Noise of a new encryption and of a recrypted ciphertext.
  [[nodiscard]] virtual NoiseBound fresh_noise() const = 0;
  [[nodiscard]] virtual NoiseBound refreshed_noise() const = 0;

  // Encrypts every bit; the passes over the public key are shared by the whole batch.
  [[nodiscard]] virtual std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                        const EncryptOptions& options,
                                                        SecretRandom& random,
                                                        const Monitor& monitor) const = 0;

  // Does once what many encryptions need, and keeps it in memory; nothing where there is nothing of
  // that kind. Encryption does it by itself as soon as it has made enough ciphertexts to be worth
  // it. What the preparation is made of, and its time and memory, is said by the scheme's BoundKey.
  virtual void prepare_encryption(const Monitor& /*monitor*/) const {}

  // A ciphertext of the same bit with noise refreshed_noise(). Requires c of this key, in range and
  // with noise within noise_rule().refresh_limit: callers check (Evaluator does).
  [[nodiscard]] virtual Ciphertext recrypt(const Ciphertext& c, const Monitor& monitor) const = 0;
};

// The contents of a public key. Immutable.
class PublicMaterial {
 public:
  virtual ~PublicMaterial() = default;

  [[nodiscard]] virtual const Integer& modulus() const = 0;

  // What makes these values impossible for a key, as a clause for a message and without secrets;
  // nothing when they are possible. A reader refuses a file, and key generation a key, for the same
  // reason: what is written can be read. Takes less than a tenth of the time of reading the key.
  [[nodiscard]] virtual std::optional<std::string> flaw() const = 0;

  // Writes the sections of the public key, other than `params`.
  virtual void write(SectionWriter& out) const = 0;
  [[nodiscard]] virtual std::size_t section_count() const = 0;

  // Ring and precomputation for one backend. `self` is this object, kept alive by the result.
  [[nodiscard]] virtual std::shared_ptr<const BoundKey> bind(
      std::shared_ptr<const PublicMaterial> self, const KeyId& id, const BackendPtr& backend,
      const RecryptOptions& options) const = 0;
};

// The contents of a secret key; wiped on destruction. Immutable.
class SecretMaterial {
 public:
  virtual ~SecretMaterial() = default;

  [[nodiscard]] virtual const Integer& modulus() const = 0;
  [[nodiscard]] virtual NoiseRule noise_rule() const = 0;

  struct Decryption {
    bool bit;
    bool within_claim;  // whether the real noise is at most the claim; the bit means nothing if not
  };

  // The bit of c, and whether c has no more noise than is claimed. Requires c in [0, modulus).
  // Neither the time nor the memory accesses depend on the key or on the noise, whose size would
  // tell the key to whoever measures it for ciphertexts of their choice; they depend on the lengths
  // of key and modulus, on c and on the claim.
  [[nodiscard]] virtual Decryption decrypt(const Integer& c, NoiseBound claim) const = 0;

  // The noise of the very ciphertext, rounded up as by NoiseBound::from_magnitude. Requires c in
  // [0, modulus). For the owner's diagnosis: takes a time that depends on the noise.
  [[nodiscard]] virtual NoiseBound measure_noise(const Integer& c) const = 0;

  // As PublicMaterial::flaw().
  [[nodiscard]] virtual std::optional<std::string> flaw() const = 0;

  // Writes the sections of the secret key, other than `params`.
  virtual void write(SectionWriter& out) const = 0;
  [[nodiscard]] virtual std::size_t section_count() const = 0;
};

// One thing that was looked at in a key (check.hpp), and what came of it. Never a secret.
struct KeyFinding {
  std::string what;  // such as "public elements"
  bool passed = false;
  std::string detail;  // a clause
};

struct KeyMaterial {
  std::shared_ptr<const PublicMaterial> public_part;
  std::unique_ptr<const SecretMaterial> secret_part;
};

// How much the keys of a group hold; sizes.hpp makes of it what users are told.
struct KeyShape {
  std::size_t modulus_bits = 0;                // of a typical key where keys differ
  bool same_for_all_keys = true;               // false: keys of the group differ in size
  std::vector<std::uint64_t> public_sections;  // bytes, in their order, other than `params`
  std::vector<std::uint64_t> secret_sections;  // likewise, not under a passphrase
  // What recryption holds of one ciphertext beside the public key at its peak, on one thread of the
  // default backend, in integers of the modulus's size: an estimate.
  std::size_t recryption_integers = 0;
};

// One family of schemes. Stateless.
class Scheme {
 public:
  virtual ~Scheme() = default;

  // As in the `scheme` field of parameter groups and in file headers.
  [[nodiscard]] virtual std::string_view name() const = 0;

  // The fields that a group of this scheme may have, by what they are called in its text; a group
  // with any other is refused when it is read.
  [[nodiscard]] virtual std::vector<std::string_view> field_names() const = 0;

  // Throws Error(invalid_parameters) unless the group is complete and consistent.
  virtual void check(const ParameterSet& parameters) const = 0;

  // What follows from the numbers of a group alone. Requires one that makes keys.
  [[nodiscard]] virtual KeyShape shape(const ParameterSet& parameters) const = 0;

  // Makes a key pair. `seed` is the public seed, `random` the source of all secrets.
  [[nodiscard]] virtual KeyMaterial generate(const ParameterSet& parameters,
                                             const BackendPtr& backend, const StreamSeed& seed,
                                             SecretRandom& random,
                                             const Monitor& monitor) const = 0;

  // Reads what `write` wrote, checking every value. Throw Error(malformed_file).
  [[nodiscard]] virtual std::shared_ptr<const PublicMaterial> read_public(
      const ParameterSet& parameters, ContainerReader& in) const = 0;
  [[nodiscard]] virtual std::unique_ptr<const SecretMaterial> read_secret(
      const ParameterSet& parameters, ContainerReader& in) const = 0;

  // What can be found out about a secret key beyond its flaw(), and what it tells about a public
  // one. Require keys of this scheme, the pair of one modulus and one group. The SECRET modulus
  // goes to Backend::residues() as in key generation.
  [[nodiscard]] virtual std::vector<KeyFinding> check_secret(
      const SecretMaterial& secret) const = 0;
  [[nodiscard]] virtual std::vector<KeyFinding> check_pair(const PublicMaterial& key,
                                                           const SecretMaterial& secret,
                                                           const BackendPtr& backend,
                                                           const Monitor& monitor) const = 0;
};

// The scheme of that name. Throws Error(unknown_name), listing what there is.
const Scheme& scheme_named(std::string_view name);

}  // namespace fhe
