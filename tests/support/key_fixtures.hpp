// SPDX-License-Identifier: Apache-2.0
// Keys and parameter groups for tests of schemes and gates: made once in a process, the same in
// every run, with their insides laid open.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libfhe/random/hedged_random.hpp"
#include "libfhe/scheme/cmnt/parameters.hpp"
#include "libfhe/scheme/cmnt/public_material.hpp"
#include "libfhe/scheme/cnt/parameters.hpp"
#include "libfhe/scheme/cnt/public_material.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/gh/public_material.hpp"
#include "libfhe/scheme/gh/secret_material.hpp"
#include "libfhe/scheme/keys.hpp"
#include "tests/catch.hpp"

template <>
struct Catch::StringMaker<fhe::NoiseBound> {
  static std::string convert(const fhe::NoiseBound& noise) {
    return std::to_string(noise.bits()) + " bits, " + std::to_string(noise.units()) + " units";
  }
};

namespace fhe::test {

// The keys of a built-in group from a test seed. They live until the process ends.
inline const KeyPair& test_keys(const std::string& group, const std::string& seed = "shared") {
  static std::mutex guard;
  static std::map<std::pair<std::string, std::string>, std::unique_ptr<const KeyPair>> known;
  const std::scoped_lock lock(guard);
  std::unique_ptr<const KeyPair>& keys = known[{group, seed}];
  if (keys == nullptr) {
    const KeyGenerator generator(ParameterSet::named(group));
    keys = std::make_unique<const KeyPair>(generator.generate(TestSeed{seed}));
  }
  return *keys;
}

// An encryptor under a test key that makes the same ciphertexts in every run.
inline Encryptor test_encryptor(const KeyPair& keys, const std::string& seed = "encryption") {
  return {keys.public_key, open_backend(), std::make_shared<TestRandom>(seed)};
}

// What test_encryptor() of this seed draws from in its first call, for dense encryptions of bits.
inline HedgedRandom test_encryption_draws(const KeyPair& keys, const std::vector<bool>& bits,
                                          const std::string& seed) {
  TestRandom source(seed);
  std::vector<SlotBits> rows;
  for (const bool bit : bits) rows.push_back({bit});
  SecretBytes context = encryption_context(keys.public_key.id().digest, rows);
  context.push_back(std::byte{0});
  return {source, context};
}

inline cnt::Parameters cnt_parameters(const std::string& group) {
  return cnt::Parameters(ParameterSet::named(group));
}

inline cmnt::Parameters cmnt_parameters(const std::string& group) {
  return cmnt::Parameters(ParameterSet::named(group));
}

inline const cmnt::CmntPublicMaterial& cmnt_part(const PublicKey& key) {
  return dynamic_cast<const cmnt::CmntPublicMaterial&>(key.material());
}

inline const cnt::CntPublicMaterial& cnt_part(const PublicKey& key) {
  return dynamic_cast<const cnt::CntPublicMaterial&>(key.material());
}

inline const dghv::DghvSecretMaterial& dghv_part(const SecretKey& key) {
  return dynamic_cast<const dghv::DghvSecretMaterial&>(key.material());
}

inline const gh::GhPublicMaterial& gh_part(const PublicKey& key) {
  return dynamic_cast<const gh::GhPublicMaterial&>(key.material());
}

inline const gh::GhSecretMaterial& gh_part(const SecretKey& key) {
  return dynamic_cast<const gh::GhSecretMaterial&>(key.material());
}

// x mod p in (-p/2, p/2], in the plainest form.
inline Integer centered(const Integer& x, const Integer& p) {
  Integer residue;
  mpz_fdiv_r(residue.get_mpz_t(), x.get_mpz_t(), p.get_mpz_t());
  return 2 * residue > p ? Integer(residue - p) : residue;
}

// chi_i - delta_i.
inline std::vector<Integer> corrected(const PublicStream& chi,
                                      std::span<const Integer> corrections) {
  std::vector<Integer> elements;
  for (std::size_t i = 0; i < corrections.size(); ++i) {
    elements.emplace_back(chi.element(i) - corrections[i]);
  }
  return elements;
}

// x_i = chi_i - delta_i of a public key.
inline std::vector<Integer> public_elements(const cnt::CntPublicMaterial& key) {
  return corrected(key.element_stream(), key.delta());
}

// sigma_i = chi'_i - delta'_i of a public key of a DGHV scheme.
template <class DghvPublicMaterial>
std::vector<Integer> encrypted_key_bits(const DghvPublicMaterial& key) {
  const dghv::SquashedKey& squashed = key.squashed();
  return corrected(dghv::key_bit_stream(key.parameters(), squashed.seed), squashed.sigma);
}

// u_0, ..., u_(Theta-1) of a public key of a DGHV scheme.
template <class DghvPublicMaterial>
std::vector<Integer> squash_elements(const DghvPublicMaterial& key) {
  const dghv::SquashedKey& squashed = key.squashed();
  std::vector<Integer> u = squashed.solved;
  const PublicStream rest = dghv::squash_stream(key.parameters(), squashed.seed);
  for (std::size_t i = 0; i < rest.count(); ++i) u.push_back(rest.element(i));
  return u;
}

// A ciphertext of the key with exactly this noise, of either sign; its bit is the noise's parity.
inline Ciphertext with_noise(const KeyPair& keys, const Integer& noise, const Integer& multiple) {
  const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
  Integer value;
  const Integer shifted = multiple * secret.p() + noise;
  mpz_fdiv_r(value.get_mpz_t(), shifted.get_mpz_t(), secret.modulus().get_mpz_t());
  return {std::move(value), NoiseBound::from_magnitude(noise), keys.public_key.id()};
}

// The TOML text of a group, field by field, so that a test can break one thing at a time.
class GroupText {
 public:
  // The text of a built-in group.
  explicit GroupText(const std::string& group) {
    const ParameterSet parameters = ParameterSet::named(group);
    head_ = {{"name", quoted(group)},
             {"scheme", quoted(parameters.scheme())},
             {"purpose", quoted(std::string(to_string(parameters.purpose())))}};
    for (const auto& [name, field] : parameters.fields()) {
      const auto* const number = std::get_if<std::int64_t>(&field.value);
      set(name,
          number != nullptr ? std::to_string(*number) : quoted(std::get<std::string>(field.value)));
    }
  }

  static std::string quoted(const std::string& word) { return '"' + word + '"'; }

  // Values are TOML: 12, "ctr" in quotes, [1, 2], ...
  GroupText& head(const std::string& key, const std::string& value) {
    head_[key] = value;
    return *this;
  }
  GroupText& without_head(const std::string& key) {
    head_.erase(key);
    return *this;
  }
  GroupText& set(const std::string& field, const std::string& value) {
    return set_table(field, "value = " + value + "\nunit = \"bits\"\nsource = \"a test\"\n");
  }
  GroupText& set(const std::string& field, std::size_t value) {
    return set(field, std::to_string(value));
  }
  // The whole table of a field.
  GroupText& set_table(const std::string& field, const std::string& lines) {
    fields_[field] = lines;
    return *this;
  }
  GroupText& without(const std::string& field) {
    fields_.erase(field);
    return *this;
  }

  [[nodiscard]] std::string text() const {
    std::string result;
    for (const auto& [key, value] : head_) result += key + " = " + value + '\n';
    for (const auto& [name, lines] : fields_) result += "\n[" + name + "]\n" + lines;
    return result;
  }
  [[nodiscard]] ParameterSet parse() const { return ParameterSet::from_toml(text(), "the text"); }

 private:
  std::map<std::string, std::string> head_;
  std::map<std::string, std::string> fields_;
};

// The smallest group of numbers in slots with public keys that its rules allow.
inline GroupText tiny_tally() {
  return GroupText("she-mini")
      .head("name", GroupText::quoted("tiny-tally"))
      .set("slots", "1")
      .set("depth", "0")
      .set("additions", "4")
      .set("eta", "30")
      .set("gamma", "128")
      .set("alpha", "8")
      .set("tau", "21");
}

}  // namespace fhe::test
