// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/keys.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/random/hedged_random.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "libfhe/scheme/object_sections.hpp"
#include "libfhe/scheme/sizes.hpp"
#include "libfhe/scheme/test_seed.hpp"
#include "libfhe/scheme/zero_pool.hpp"
#include "libfhe/secret/stack.hpp"

namespace fhe {

namespace {

// Throws Error(wrong_result) unless there are `count` ciphertexts and the mask of each was added: a
// sum of public elements modulo the modulus, on either side of 0 as long as the modulus up to
// kMissingBits. Without it the value is the bit and its small noise, for everybody to read.
// Elements that were forged can add up to nothing; no other step before this one is known to leave
// it out.
void require_masked(const std::vector<Ciphertext>& made, std::size_t count,
                    const Integer& modulus) {
  constexpr std::size_t kMissingBits = 64;  // a right mask is this short once in 2^63
  const std::size_t bits = bit_length(modulus);
  const std::size_t least = bits - std::min(bits, kMissingBits);
  const auto is_masked = [&](const Ciphertext& c) {
    const Integer& value = c.value();
    return value >= 0 && value < modulus && bit_length(value) >= least &&
           bit_length(modulus - value) >= least;
  };
  if (made.size() == count && std::ranges::all_of(made, is_masked)) return;
  throw Error(ErrorCode::wrong_result,
              "an encryption would have shown its bit: the public key was altered (check_key and "
              "`fhe check` tell), or the backend or the memory of this machine is faulty (use "
              "another backend; `ntl` is the reference); nothing is returned");
}

std::vector<Ciphertext> expanded(const CompressedCiphertexts& compressed,
                                 const ParameterSet& parameters, const KeyId& id,
                                 const Integer& modulus, const Monitor& monitor) {
  require_same_key(id, compressed.key(), "the compressed ciphertext");
  const auto form = scheme_named(parameters.scheme()).compressed_form(parameters);
  if (!form) throw no_compressed_form();
  return compressed.expand(*form, modulus, monitor);
}

// A key or a group with a flaw.
Error unreadable(const ParameterSet& parameters, const std::string& flaw) {
  return parameters.invalid(fmt::format("no command would read its keys: {}", flaw));
}

// Schemes draw again until a key has no flaw: one that is left is the fault of the group.
void require_sound(const ParameterSet& parameters, const KeyMaterial& material) {
  auto flaw = material.public_part->flaw();
  if (!flaw) flaw = material.secret_part->flaw();
  if (flaw) throw unreadable(parameters, *flaw);
}

// What a key can hold permutations of.
void require_possible(const ParameterSet& group, const std::vector<SlotPermutation>& permutations) {
  if (permutations.empty()) return;
  const std::size_t slots = scheme_named(group.scheme()).shape(group).slots;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("keys of {} cannot hold these permutations: {}", group.name(), why));
  };
  if (permutations.size() > kMostPermutations) {
    refuse(fmt::format("{} are more than {}", permutations.size(), kMostPermutations));
  }
  for (auto one = permutations.begin(); one != permutations.end(); ++one) {
    if (one->slots() != slots) {
      refuse(fmt::format("one is of {} slots, and ciphertexts have {}", one->slots(), slots));
    }
    if (*one == SlotPermutation::identity(slots)) refuse("one of them moves nothing");
    if (std::find(permutations.begin(), one, *one) != one) refuse("one of them is there twice");
  }
}

std::shared_ptr<const SecretContext> context_of(
    const std::shared_ptr<const SecretMaterial>& material, const BackendPtr& backend) {
  const SecretWork work;
  return reporting_memory([&] { return material->make_context(material, *backend); });
}

// The bits of all slots, one ciphertext after the other.
std::vector<bool> flat(const std::vector<SlotBits>& rows) {
  std::vector<bool> bits;
  for (const SlotBits& row : rows) bits.insert(bits.end(), row.begin(), row.end());
  return bits;
}

// What decrypt_one gives for each ciphertext.
template <class DecryptOne>
auto decrypt_each(const std::vector<Ciphertext>& cs, const Monitor& monitor,
                  const DecryptOne& decrypt_one) {
  std::vector<decltype(decrypt_one(cs.front()))> bits;
  Progress progress(monitor, "decrypt", cs.size());
  for (const Ciphertext& c : cs) {
    try {
      bits.push_back(decrypt_one(c));
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("ciphertext {} of {}, counted from 0: {}", bits.size(),
                                            cs.size(), error.what()));
    }
    progress.advance();
  }
  return bits;
}

// The bits of c, which has no more noise than it claims.
std::vector<std::uint8_t> decrypted(const KeyId& id, const SecretMaterial& material,
                                    const SecretContext& context, const Ciphertext& c) {
  const SecretWork work;
  require_ciphertext_of(id, material.modulus(), c);
  const NoiseBound limit = material.noise_rule().decrypt_limit;
  if (c.noise() > limit) {
    throw Error(
        ErrorCode::noise_exceeded,
        fmt::format("the noise may have reached {:.1f} bits and {} decrypts up to {:.1f}: the bit "
                    "would be meaningless; recrypt operands before the gate that exceeds the "
                    "limit",
                    c.noise().bits(), id.text(), limit.bits()));
  }
  return reporting_memory([&] {
    SecretMaterial::Decryption result = context.decrypt(c.value(), c.noise());
    if (!result.within_claim) {
      throw Error(ErrorCode::noise_exceeded,
                  "refused: the ciphertext has more noise than it claims, so it has overflowed or "
                  "was altered, and its bit would be meaningless");
    }
    return std::move(result.bits);
  });
}

}  // namespace

KeyId key_id_of(const ParameterSet& parameters, const PublicMaterial& material, bool test_key,
                const Monitor& monitor) {
  KeyIdHasher hasher;
  WatchedSections watched(hasher, monitor, "key id", sizes_of(parameters)->public_key_file);
  material.write(watched);
  watched.finish();
  return {parameters.name(), hasher.finish(parameters.digest()), test_key};
}

PublicKey::PublicKey(ParameterSet parameters, KeyId id,
                     std::shared_ptr<const PublicMaterial> material)
    : contents_("the public key", reporting_memory([&] {
                  return std::make_shared<const Contents>(
                      Contents{std::move(parameters), std::move(id), std::move(material)});
                })) {}

std::shared_ptr<const KeyContext> PublicKey::context(const BackendPtr& backend,
                                                     const RecryptOptions& options) const {
  return reporting_memory([&] {
    return material().make_context(contents_->material, id(), required(backend, "the backend"),
                                   options);
  });
}

SecretKey::SecretKey(ParameterSet parameters, KeyId id,
                     std::unique_ptr<const SecretMaterial> material)
    : contents_("the secret key", reporting_memory([&] {
                  return std::make_shared<const Contents>(
                      Contents{std::move(parameters), std::move(id), std::move(material)});
                })) {}

KeyGenerator::KeyGenerator(ParameterSet parameters, BackendPtr backend, KeyOptions options)
    : parameters_(std::move(parameters)),
      backend_("the key generator", required(std::move(backend), "the backend")),
      options_(std::move(options)) {
  require_family(parameters_, GroupPurpose::scheme);
  if (const auto flaw = parameters_.flaw()) throw unreadable(parameters_, *flaw);
  reporting_memory([&] { require_possible(parameters_, options_.permutations); });
}

KeyPair KeyGenerator::generate(const Monitor& monitor) const {
  const SecretWork work;
  StreamSeed seed;
  fill_public(seed);
  SystemRandom random;
  return reporting_memory([&] { return generate(seed, random, monitor); });
}

KeyPair KeyGenerator::generate(const TestSeed& seed, const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    TestRandom random("key generation " + seed.text);
    return generate(test_stream_seed(seed), random, monitor);
  });
}

KeyPair KeyGenerator::generate(const StreamSeed& public_seed, SecretRandom& random,
                               const Monitor& monitor) const {
  const BackendPtr& backend = backend_.pointer();
  const Scheme& scheme = scheme_named(parameters_.scheme());
  KeyMaterial material =
      scheme.generate(parameters_, options_, backend, public_seed, random, monitor);
  require_sound(parameters_, material);
  const KeyId id = key_id_of(parameters_, *material.public_part, random.is_test(), monitor);
  return {PublicKey(parameters_, id, std::move(material.public_part)),
          SecretKey(parameters_, id, std::move(material.secret_part))};
}

Encryptor::Encryptor(const PublicKey& key, const BackendPtr& backend)
    : Encryptor(key, backend, reporting_memory([] { return std::make_shared<SystemRandom>(); })) {}

Encryptor::Encryptor(const PublicKey& key, const BackendPtr& backend,
                     std::shared_ptr<SecretRandom> random)
    : key_("the encryptor", key.context(backend)),
      random_("the encryptor", random_for(key.id(), std::move(random))),
      zeros_("the encryptor", reporting_memory([&] {
               return std::make_shared<ZeroPool>(key_.pointer(), *random_);
             })) {}

void Encryptor::prepare(const Monitor& monitor) const {
  reporting_memory([&] { key_->prepare_encryption(monitor); });
}

void Encryptor::prepare(std::size_t count) const {
  if (count > kMostPrepared) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} prepared encryptions are more than the {} that are kept", count,
                            kMostPrepared));
  }
  reporting_memory([&] { zeros_->fill(count); });
}

std::size_t Encryptor::prepared() const {
  return zeros_->ready();
}

// With prepared ones for the first bits, as many as there are. What is drawn for the others follows
// from the key, the option and all that `rows` says of them, beside the source.
std::vector<Ciphertext> Encryptor::encrypt_hedged(const std::vector<bool>& bits,
                                                  std::span<const SlotBits> rows,
                                                  const EncryptOptions& options,
                                                  const Monitor& monitor) const {
  std::vector<Ciphertext> made;
  if (!options.sparse) made = encrypt_prepared(bits);
  if (made.size() < bits.size()) {
    const std::vector<bool> others(bits.begin() + static_cast<std::ptrdiff_t>(made.size()),
                                   bits.end());
    SecretBytes context = encryption_context(key_->id().digest, rows.subspan(made.size()));
    context.push_back(std::byte{options.sparse});
    HedgedRandom hedged(*random_, context);
    std::ranges::move(key_->encrypt(others, options, hedged, monitor), std::back_inserter(made));
  }
  require_masked(made, bits.size(), key_->ring().modulus());
  return made;
}

// Of the first bits, as many as are prepared. The bit is added to all alike.
std::vector<Ciphertext> Encryptor::encrypt_prepared(const std::vector<bool>& bits) const {
  std::vector<Ciphertext> made;
  for (SecretInteger& zero : zeros_->take(bits.size())) {
    Integer& value = zero.value();
    value += bits[made.size()] ? 1UL : 0UL;
    if (value == key_->ring().modulus()) value = 0;
    made.emplace_back(std::move(value), key_->fresh_noise(), key_->id());
  }
  return made;
}

Ciphertext Encryptor::encrypt(bool bit, const EncryptOptions& options,
                              const Monitor& monitor) const {
  return reporting_memory(
      [&] { return encrypt(std::vector<bool>{bit}, options, monitor).front(); });
}

std::vector<Ciphertext> Encryptor::encrypt(const std::vector<bool>& bits,
                                           const EncryptOptions& options,
                                           const Monitor& monitor) const {
  return reporting_memory([&] {
    std::vector<SlotBits> rows;
    rows.reserve(bits.size());
    for (const bool bit : bits) rows.push_back({bit});
    return encrypt_hedged(bits, rows, options, monitor);
  });
}

Ciphertext Encryptor::encrypt_slots(const SlotBits& bits, const EncryptOptions& options,
                                    const Monitor& monitor) const {
  return reporting_memory(
      [&] { return encrypt_slots(std::vector<SlotBits>{bits}, options, monitor).front(); });
}

// A constant is added to an encryption of 0.
std::vector<Ciphertext> Encryptor::encrypt_slots(const std::vector<SlotBits>& rows,
                                                 const EncryptOptions& options,
                                                 const Monitor& monitor) const {
  return reporting_memory([&] {
    for (const SlotBits& row : rows) require_slot_bits(row, key_->slots());
    const std::vector<Ciphertext> zeros =
        encrypt_hedged(std::vector<bool>(rows.size(), false), rows, options, monitor);
    const std::vector<Ciphertext> constants = key_->constants(rows, monitor);
    std::vector<Ciphertext> made;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      made.emplace_back(key_->ring().add(zeros[k].value(), constants[k].value()),
                        key_->fresh_noise(), key_->id());
    }
    return made;
  });
}

SecretEncryptor::SecretEncryptor(const SecretKey& key, BackendPtr backend)
    : SecretEncryptor(key, std::move(backend),
                      reporting_memory([] { return std::make_shared<SystemRandom>(); })) {}

SecretEncryptor::SecretEncryptor(const SecretKey& key, BackendPtr backend,
                                 std::shared_ptr<SecretRandom> random)
    : key_("the encryptor", key.contents_.pointer()),
      backend_("the encryptor", required(std::move(backend), "the backend")),
      random_("the encryptor", random_for(key.id(), std::move(random))) {}

CompressedCiphertexts SecretEncryptor::encrypt(const std::vector<bool>& bits,
                                               const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    std::vector<bool> all;
    for (const bool bit : bits) all.insert(all.end(), key_->material->slots(), bit);
    return key_->material->encrypt(all, key_->id, *backend_, *random_, monitor);
  });
}

CompressedCiphertexts SecretEncryptor::encrypt_slots(const std::vector<SlotBits>& rows,
                                                     const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    for (const SlotBits& row : rows) require_slot_bits(row, key_->material->slots());
    return key_->material->encrypt(flat(rows), key_->id, *backend_, *random_, monitor);
  });
}

std::vector<Ciphertext> expand(const CompressedCiphertexts& compressed, const PublicKey& key,
                               const Monitor& monitor) {
  return reporting_memory(
      [&] { return expanded(compressed, key.parameters(), key.id(), key.modulus(), monitor); });
}

std::vector<Ciphertext> expand(const CompressedCiphertexts& compressed, const SecretKey& key,
                               const Monitor& monitor) {
  return reporting_memory([&] {
    return expanded(compressed, key.parameters(), key.id(), key.material().modulus(), monitor);
  });
}

Decryptor::Decryptor(const SecretKey& key, const BackendPtr& backend)
    : key_("the decryptor", key.contents_.pointer()),
      context_("the decryptor", context_of(key_->material, required(backend, "the backend"))) {}

SlotBits Decryptor::decrypt_slots(const Ciphertext& c) const {
  return reporting_memory([&] {
    const std::vector<std::uint8_t> bits = decrypted(key_->id, *key_->material, *context_, c);
    return SlotBits(bits.begin(), bits.end());
  });
}

// Without a branch on the bit that all slots hold.
bool Decryptor::decrypt(const Ciphertext& c) const {
  unsigned any = 0;
  unsigned all = 1;
  for (const unsigned bit : decrypted(key_->id, *key_->material, *context_, c)) {
    any |= bit;
    all &= bit;
  }
  if (any == all) return any != 0;
  throw Error(ErrorCode::unsupported,
              "the slots of the ciphertext hold different bits, and not one: decrypt its slots");
}

std::vector<bool> Decryptor::decrypt(const std::vector<Ciphertext>& cs,
                                     const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    return decrypt_each(cs, monitor, [this](const Ciphertext& c) { return decrypt(c); });
  });
}

std::vector<SlotBits> Decryptor::decrypt_slots(const std::vector<Ciphertext>& cs,
                                               const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    return decrypt_each(cs, monitor, [this](const Ciphertext& c) { return decrypt_slots(c); });
  });
}

NoiseBound measure_noise(const SecretKey& key, const Ciphertext& c) {
  const SecretWork work;
  require_ciphertext_of(key.id(), key.material().modulus(), c);
  return reporting_memory([&] { return key.material().measure_noise(c.value()); });
}

std::vector<NoiseBound> measure_slot_noise(const SecretKey& key, const Ciphertext& c) {
  const SecretWork work;
  require_ciphertext_of(key.id(), key.material().modulus(), c);
  return reporting_memory([&] { return key.material().measure_slot_noise(c.value()); });
}

}  // namespace fhe
