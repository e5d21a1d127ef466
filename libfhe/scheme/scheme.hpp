// SPDX-License-Identifier: Apache-2.0
// What a scheme is to the rest of the library: five small interfaces, and a table of schemes.
//
// Gates, files, circuits and programs know only these and keys.hpp. A scheme implements them and
// adds one line to the table in schemes.cpp; it is named nowhere else. A scheme that encrypts
// numbers in slots, and not bits, has an interface of its own (she/), and of these only the rules
// of its groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/export.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/compressed_ciphertexts.hpp"
#include "libfhe/scheme/noise.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/slots.hpp"
#include "libfhe/security/problems.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe {

// How to encrypt.
struct FHE_EXPORT EncryptOptions {
  // Sum with weights b_i of low Hamming weight (theta = 15 ones) instead of uniform ones. Faster on
  // some accelerators, but WITHOUT the leftover-hash argument for security: for experiments only. A
  // scheme without such weights throws Error(unsupported).
  bool sparse = false;
};

// How to recrypt.
struct FHE_EXPORT RecryptOptions {
  // The adder by name ("sym", "ctr2", ...; see adder.hpp), or "digits" for keys of a group whose
  // adder that is (Error(unsupported) for others); empty for the group's own choice.
  std::string adder;
};

// What keys shall hold besides what every key of their group does.
struct FHE_EXPORT KeyOptions {
  // Permutations of the slots for recryption to do as it goes (Evaluator::permute). Each takes as
  // much of the public key as its encrypted key bits.
  std::vector<SlotPermutation> permutations;
};

// The most permutations that a key may have.
inline constexpr std::size_t kMostPermutations = 256;

// A public key on a backend: everything that the public key allows. Immutable, except for what it
// prepares and keeps; any number of threads may use it. All results are in [0, modulus), with noise
// bounds that are proven unless the scheme says otherwise.
class FHE_EXPORT KeyContext {
 public:
  virtual ~KeyContext() = default;

  // The ring of the ciphertexts, on the backend.
  [[nodiscard]] virtual const Ring& ring() const = 0;
  // The id of the key.
  [[nodiscard]] virtual const KeyId& id() const = 0;
  // How many bits a ciphertext holds, each in a slot of its own. Gates work on all slots at once,
  // slot by slot: in each slot they keep to noise_rule().
  [[nodiscard]] virtual std::size_t slots() const { return 1; }
  // The limits of the noise, and how it grows.
  [[nodiscard]] virtual NoiseRule noise_rule() const = 0;

  // The noise of a new ciphertext, whatever its slots hold, and of a recrypted one.
  [[nodiscard]] virtual NoiseBound fresh_noise() const = 0;
  [[nodiscard]] virtual NoiseBound refreshed_noise() const = 0;

  // Public ciphertexts with these bits in their slots, which hide nothing; those with equal bits in
  // all slots are 0 and 1. Added to an encryption of 0 they make one of their bits, with noise
  // fresh_noise(). Requires rows of slots() bits. Default: for one slot.
  [[nodiscard]] virtual std::vector<Ciphertext> constants(std::span<const SlotBits> rows,
                                                          const Monitor& monitor) const;

  // Encrypts every bit, in all slots of a ciphertext of its own; the passes over the public key are
  // shared by the whole batch. Callers that let ciphertexts leave give HedgedRandom
  // (random/hedged_random.hpp): equal draws for two bits would show both.
  [[nodiscard]] virtual std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                        const EncryptOptions& options,
                                                        SecretRandom& random,
                                                        const Monitor& monitor) const = 0;

  // Does once what many encryptions need, and keeps it in memory; does nothing where there is no
  // such thing. Encryption does it by itself as soon as it has made enough ciphertexts to be worth
  // it. The scheme's KeyContext says what is prepared, and what time and memory that takes.
  virtual void prepare_encryption(const Monitor& /*monitor*/) const {}

  // The most recryptions that share what they have in common; more in one call gain nothing.
  static constexpr std::size_t kRecryptedTogether = 8;

  // Ciphertexts of the same bits with noise refreshed_noise(). What many have in common is done
  // once, as far as the scheme can: for CNT and CMNT the generation of the key's streams. Requires
  // that all belong to this key, are in range and have noise within noise_rule().refresh_limit:
  // callers, such as Evaluator, check.
  [[nodiscard]] virtual std::vector<Ciphertext> recrypt_all(const std::vector<Ciphertext>& cs,
                                                            const Monitor& monitor) const = 0;
  // The permutations of the slots that the key has encrypted key bits for, and recryption with one
  // of them, by its index: the bits come out permuted, at no further cost. Default: none.
  [[nodiscard]] virtual std::span<const SlotPermutation> permutations() const { return {}; }
  [[nodiscard]] virtual std::vector<Ciphertext> recrypt_permuted(const std::vector<Ciphertext>& cs,
                                                                 std::size_t permutation,
                                                                 const Monitor& monitor) const;
  // recrypt_all for one.
  [[nodiscard]] Ciphertext recrypt(const Ciphertext& c, const Monitor& monitor) const {
    return std::move(recrypt_all({c}, monitor).front());
  }
};

// The contents of a public key. Immutable.
class FHE_EXPORT PublicMaterial {
 public:
  virtual ~PublicMaterial() = default;

  // Ciphertexts are integers in [0, modulus()).
  [[nodiscard]] virtual const Integer& modulus() const = 0;
  // How many bits a ciphertext holds, each in a slot of its own.
  [[nodiscard]] virtual std::size_t slots() const { return 1; }

  // Why no key can have these values, as a clause for a message and without secrets; nothing when a
  // key can. Readers refuse a file, and key generation a key, for the same reasons: what is written
  // can be read. Takes less than a tenth of the time of reading the key.
  [[nodiscard]] virtual std::optional<std::string> flaw() const = 0;

  // Writes the sections of the public key other than `params`, and how many these are.
  virtual void write(SectionWriter& out) const = 0;
  [[nodiscard]] virtual std::size_t section_count() const = 0;

  // The key on one backend, with its ring and what is precomputed. `self` is this object, which the
  // result keeps alive.
  [[nodiscard]] virtual std::shared_ptr<const KeyContext> make_context(
      std::shared_ptr<const PublicMaterial> self, const KeyId& id, const BackendPtr& backend,
      const RecryptOptions& options) const = 0;
};

// What decrypts: a secret key, or one with what is precomputed on a backend for many decryptions.
// Wiped on destruction. Immutable.
class FHE_EXPORT SecretContext {
 public:
  virtual ~SecretContext() = default;

  // What a decryption gives.
  struct Decryption {
    std::vector<std::uint8_t> bits;  // 0 or 1 for each slot; meaningless unless within_claim
    bool within_claim;               // whether the real noise is at most the claim, in every slot
  };

  // The bits of c, and whether c has no more noise than is claimed. Requires c in [0, modulus).
  // Neither the time nor the memory accesses depend on the key or on the noise, whose size,
  // measured for ciphertexts of one's choice, would give away the key; they depend on the lengths
  // of key and modulus, on c and on the claim.
  [[nodiscard]] virtual Decryption decrypt(const Integer& c, NoiseBound claim) const = 0;
};

// The contents of a secret key; wiped on destruction. Immutable.
class FHE_EXPORT SecretMaterial : public SecretContext {
 public:
  // Ciphertexts are integers in [0, modulus()).
  [[nodiscard]] virtual const Integer& modulus() const = 0;
  // How many bits a ciphertext holds, each in a slot of its own.
  [[nodiscard]] virtual std::size_t slots() const { return 1; }
  // The limits of the noise, and how it grows.
  [[nodiscard]] virtual NoiseRule noise_rule() const = 0;

  // The key on one backend. `self` is this object, which the result keeps alive; it is the result
  // where there is nothing to precompute.
  [[nodiscard]] virtual std::shared_ptr<const SecretContext> make_context(
      std::shared_ptr<const SecretMaterial> self, const Backend& /*backend*/) const {
    return self;
  }

  // Encrypts with the secret key, in the scheme's CompressedForm, as ciphertexts of the key `id`:
  // slots() bits for each ciphertext, those of the first before those of the second. Whatever
  // `random` gives, two calls never draw the same unless they are given the same bits
  // (random/hedged_random.hpp); a test source alone decides what is drawn. The SECRET modulus goes
  // to Backend::residues(), as in key generation. Throws Error(unsupported) where the scheme has no
  // such form.
  [[nodiscard]] virtual CompressedCiphertexts encrypt(const std::vector<bool>& /*bits*/,
                                                      const KeyId& /*id*/,
                                                      const Backend& /*backend*/,
                                                      SecretRandom& /*random*/,
                                                      const Monitor& /*monitor*/) const {
    throw no_compressed_form();
  }

  // The real noise of c, rounded up as by NoiseBound::from_magnitude; the largest of all slots.
  // Requires c in [0, modulus).
  // For the owner's diagnosis only: the time that it takes depends on the noise.
  [[nodiscard]] virtual NoiseBound measure_noise(const Integer& c) const = 0;
  // The same in each slot.
  [[nodiscard]] virtual std::vector<NoiseBound> measure_slot_noise(const Integer& c) const {
    return {measure_noise(c)};
  }

  // As PublicMaterial::flaw(), for a secret key.
  [[nodiscard]] virtual std::optional<std::string> flaw() const = 0;

  // Writes the sections of the secret key other than `params`, and how many these are.
  virtual void write(SectionWriter& out) const = 0;
  [[nodiscard]] virtual std::size_t section_count() const = 0;
};

// One thing that was checked in a key (check.hpp), and the outcome. Never a secret.
struct FHE_EXPORT KeyFinding {
  std::string what;     // such as "public elements"
  bool passed = false;  // whether it is as it must be
  std::string detail;   // a clause that says what was found
};

// The contents of a key pair.
struct FHE_EXPORT KeyMaterial {
  std::shared_ptr<const PublicMaterial> public_part;  // of the public key
  std::unique_ptr<const SecretMaterial> secret_part;  // of the secret key
};

// How much the keys of a group hold; sizes.hpp makes of it what users are told.
struct FHE_EXPORT KeyShape {
  std::size_t slots = 1;          // bits of a ciphertext
  std::size_t modulus_bits = 0;   // of a typical key where keys differ
  bool same_for_all_keys = true;  // false: keys of the group differ in size
  // Bytes, in their order, other than `params`; without further permutations.
  std::vector<std::uint64_t> public_sections;
  std::vector<std::uint64_t> secret_sections;  // likewise, not under a passphrase
  // What recryption holds of one ciphertext beside the public key at its peak, on one thread of the
  // default backend, in integers of the modulus's size: an estimate.
  std::size_t recryption_integers = 0;
};

// What the parameter groups of one family of schemes are like. Stateless.
class FHE_EXPORT GroupRules {
 public:
  virtual ~GroupRules() = default;

  // The name, as in the `scheme` field of parameter groups and in file headers.
  [[nodiscard]] virtual std::string_view name() const = 0;

  // The names of the fields that a group of this scheme may have; a group with any other field is
  // refused when it is read.
  [[nodiscard]] virtual std::vector<std::string_view> field_names() const = 0;

  // Whether a group of this scheme may be for that.
  [[nodiscard]] virtual bool allows(GroupPurpose purpose) const = 0;

  // Throws Error(invalid_parameters) unless the group is complete and consistent.
  virtual void check(const ParameterSet& parameters) const = 0;

  // The problems that protect keys and ciphertexts of a group, for the estimator (security.hpp).
  // Requires one that makes keys.
  [[nodiscard]] virtual security::Problems problems(const ParameterSet& parameters) const = 0;
};

// One family of schemes that encrypt bits. Stateless.
class FHE_EXPORT Scheme : public GroupRules {
 public:
  [[nodiscard]] bool allows(GroupPurpose purpose) const override {
    return purpose != GroupPurpose::slots;
  }

  // What follows from the numbers of a group alone. Requires one that makes keys.
  [[nodiscard]] virtual KeyShape shape(const ParameterSet& parameters) const = 0;

  // How ciphertexts of a group that makes keys are compressed; nothing where the scheme has no way
  // to.
  [[nodiscard]] virtual std::optional<CompressedForm> compressed_form(
      const ParameterSet& /*parameters*/) const {
    return std::nullopt;
  }

  // Makes a key pair. `seed` is the public seed, `random` the source of all secrets. Throws as
  // KeyGenerator::generate does, which checks the options.
  [[nodiscard]] virtual KeyMaterial generate(const ParameterSet& parameters,
                                             const KeyOptions& options, const BackendPtr& backend,
                                             const StreamSeed& seed, SecretRandom& random,
                                             const Monitor& monitor) const = 0;

  // Read what write() wrote, and check every value. Throw Error(malformed_file).
  [[nodiscard]] virtual std::shared_ptr<const PublicMaterial> read_public(
      const ParameterSet& parameters, ContainerReader& in) const = 0;
  [[nodiscard]] virtual std::unique_ptr<const SecretMaterial> read_secret(
      const ParameterSet& parameters, ContainerReader& in) const = 0;

  // Check a secret key beyond its flaw(), and a public key with the help of the secret one. Require
  // keys of this scheme, and of a pair that both have the same modulus and group. The SECRET
  // modulus goes to Backend::residues(), as in key generation.
  [[nodiscard]] virtual std::vector<KeyFinding> check_secret(
      const SecretMaterial& secret) const = 0;
  [[nodiscard]] virtual std::vector<KeyFinding> check_pair(const PublicMaterial& key,
                                                           const SecretMaterial& secret,
                                                           const BackendPtr& backend,
                                                           const Monitor& monitor) const = 0;
};

// The scheme of that name, and the rules of its groups, which are there also for schemes that do
// not encrypt bits. Throw Error(unknown_name), listing what there is.
FHE_EXPORT const Scheme& scheme_named(std::string_view name);
FHE_EXPORT const GroupRules& group_rules(std::string_view name);
// The same rules, or null where there is no scheme of that name.
FHE_EXPORT const GroupRules* find_group_rules(std::string_view name);

}  // namespace fhe
