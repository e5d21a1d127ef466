// SPDX-License-Identifier: Apache-2.0
// The library against the golden vectors that the second implementation beside this file derives
// from the same test seeds, on its own: keys, encryptions, a sum, recryptions and their product,
// modulus switching, as integers.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "libfhe/scheme/dghv/modulus_switch_files.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/she/secret_slots.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/digest.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

nlohmann::json vectors_of(const std::string& group) {
  const std::filesystem::path folder(FHE_TEST_DATA_DIR "/../verifier/vectors");
  std::ifstream in(folder / (group + ".json"));
  REQUIRE(in);
  return nlohmann::json::parse(in);
}

// As a vector holds a value: in hexadecimal digits, or the SHA-256 of its bytes.
std::string pinned(const Integer& value, std::size_t bits) {
  constexpr std::size_t kLongest = 16384;
  if (bits <= kLongest) return value.get_str(16);
  std::string bytes(bytes_for_bits(bits), '\0');
  to_bytes(value, std::as_writable_bytes(std::span(bytes)));
  return "sha256:" + to_hex(sha256(bytes));
}

void check_secret(const nlohmann::json& vectors, const SecretKey& key, std::size_t bits) {
  if (const auto* prime = dynamic_cast<const dghv::DghvSecretMaterial*>(&key.material())) {
    CHECK(prime->p().get_str(16) == vectors.at("p").get<std::string>());
    CHECK(std::ranges::equal(prime->ones(), vectors.at("ones").get<std::vector<std::uint32_t>>()));
  } else {
    const gh::GhSecretMaterial& ideal = gh_part(key);
    const Integer w = ideal.w() < 0 ? Integer(ideal.w() + ideal.modulus()) : ideal.w();
    CHECK(pinned(w, bits) == vectors.at("w").get<std::string>());
  }
}

void check_owner(const nlohmann::json& vectors, const KeyPair& keys,
                 const std::vector<bool>& plain) {
  if (!vectors.contains("own_seed")) return;
  const auto seed = vectors.at("encryption_seed").get<std::string>();
  const SecretEncryptor owner(keys.secret_key, open_backend(), std::make_shared<TestRandom>(seed));
  const CompressedCiphertexts made = owner.encrypt(plain);
  CHECK(to_hex(made.seed(), made.seed().size()) == vectors.at("own_seed").get<std::string>());
  const auto expected = vectors.at("own_corrections").get<std::vector<std::string>>();
  REQUIRE(made.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(made.corrections()[i].get_str(16) == expected[i]);
  }
}

// A section of a container, as a vector holds it.
std::string pinned_section(std::span<const std::byte> container, const std::string& name) {
  ContainerReader in(container);
  std::string digest;
  for (const SectionEntry& entry : in.sections()) {
    if (entry.name == name) digest = to_hex(entry.digest);
  }
  return digest;
}

// A rung below the keys, and the fresh ciphertexts switched to it.
void check_switch(const nlohmann::json& vectors, const KeyPair& keys,
                  const std::vector<Ciphertext>& fresh) {
  if (!vectors.contains("switch")) return;
  const nlohmann::json& expected = vectors.at("switch");
  const auto vector = [&](const char* name) { return expected.at(name).get<std::string>(); };
  const BackendPtr backend = open_backend();
  const dghv::Rung rung =
      dghv::make_rung(keys.secret_key, {.eta = expected.at("eta"), .Theta = expected.at("Theta")},
                      TestSeed{vector("seed")}, backend);
  const auto& secret = dynamic_cast<const dghv::PrimeSecret&>(rung.secret_key.material());
  const std::size_t bits = bit_length(rung.public_key.modulus());
  CHECK(to_hex(rung.public_key.id().digest) == vector("key_id"));
  CHECK(secret.p().get_str(16) == vector("p"));
  CHECK(pinned(rung.public_key.modulus(), bits) == vector("modulus"));
  const std::vector<std::byte> file = to_bytes(rung.switch_key, keys.public_key);
  for (const char* section : {"Y0", "delta"}) {
    CHECK(pinned_section(file, section) == vector(section));
  }
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    CHECK(pinned(rung.switch_key.apply(fresh[i], backend).value(), bits) ==
          expected.at("switched").at(i).get<std::string>());
  }
}

std::vector<bool> bits_of(const nlohmann::json& vectors) {
  std::vector<bool> bits;
  for (const int bit : vectors.at("bits").get<std::vector<int>>()) bits.push_back(bit != 0);
  return bits;
}

void check_group(const std::string& group) {
  CAPTURE(group);
  const nlohmann::json vectors = vectors_of(group);
  const auto vector = [&vectors](const char* name) { return vectors.at(name).get<std::string>(); };
  const KeyPair& keys = test_keys(group, vector("key_seed"));
  const std::size_t bits = bit_length(keys.public_key.modulus());
  CHECK(to_hex(keys.public_key.id().digest) == vector("key_id"));
  CHECK(pinned(keys.public_key.modulus(), bits) == vector("modulus"));
  check_secret(vectors, keys.secret_key, bits);

  const std::vector<bool> plain = bits_of(vectors);
  const std::vector<Ciphertext> fresh =
      test_encryptor(keys, vector("encryption_seed")).encrypt(plain);
  CHECK(Decryptor(keys.secret_key).decrypt(fresh) == plain);
  check_owner(vectors, keys, plain);
  check_switch(vectors, keys, fresh);
  const std::string adder = vectors.contains("recrypted_by_digits") ? "digits" : "sym";
  const auto key = keys.public_key.context(open_backend(), {.adder = adder});
  Integer sum;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    CHECK(pinned(fresh[i].value(), bits) == vectors.at("fresh").at(i).get<std::string>());
    sum = key->ring().add(sum, fresh[i].value());
  }
  CHECK(pinned(sum, bits) == vector("sum"));
  const auto& expected = vectors.at("recrypted_by_" + adder);
  REQUIRE(expected.size() == 2);
  Integer product(1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Ciphertext recrypted = key->recrypt(fresh[i], {});
    CHECK(pinned(recrypted.value(), bits) == expected.at(i).get<std::string>());
    product = key->ring().multiply(product, recrypted.value());
  }
  CHECK(pinned(product, bits) == vector("product"));
}

std::vector<std::string> hexadecimal(const std::vector<Integer>& values) {
  std::vector<std::string> texts;
  for (const Integer& value : values) texts.push_back(value.get_str(16));
  return texts;
}

std::vector<Integer> values_of(const std::vector<she::Slots>& slots) {
  std::vector<Integer> values;
  for (const she::Slots& x : slots) values.push_back(x.value());
  return values;
}

void check_primes(const nlohmann::json& vectors, const she::SecretKey& key) {
  const auto primes = key.contents()->primes();
  CHECK(hexadecimal({primes.begin(), primes.end()}) == vectors.at("primes"));
}

std::shared_ptr<SecretRandom> encryption_random(const nlohmann::json& vectors) {
  return std::make_shared<TestRandom>(vectors.at("encryption_seed").get<std::string>());
}

}  // namespace

TEST_CASE("numbers in slots of test seeds are those of the second implementation", "[verifier]") {
  const nlohmann::json vectors = vectors_of("she-mini");
  const she::SecretKey key = she::KeyGenerator(ParameterSet::named("she-mini"))
                                 .generate(TestSeed{vectors.at("key_seed").get<std::string>()});
  check_primes(vectors, key);
  CHECK(to_hex(key.id().digest) == vectors.at("key_id").get<std::string>());
  const she::CompressedSlots made =
      she::Encryptor(key, encryption_random(vectors))
          .encrypt_compressed(vectors.at("numbers").get<std::vector<she::SlotNumbers>>());
  CHECK(to_hex(made.seed(), made.seed().size()) == vectors.at("own_seed").get<std::string>());
  CHECK(hexadecimal(made.corrections()) == vectors.at("own_corrections"));
  const std::vector<she::Slots> fresh = made.expand(key.group());
  CHECK(hexadecimal(values_of(fresh)) == vectors.at("fresh"));
  const she::Slots product = she::Arithmetic(key.group()).multiply(fresh[0], fresh[1]);
  CHECK(product.value().get_str(16) == vectors.at("product").get<std::string>());
}

TEST_CASE("sums under a public key of test seeds are those of the second implementation",
          "[verifier]") {
  const nlohmann::json vectors = vectors_of("tally-mini");
  const ParameterSet group =
      ParameterSet::resolve(FHE_TEST_DATA_DIR "/../verifier/groups/tally-mini.toml");
  const she::KeyPair keys =
      she::KeyGenerator(group).generate_pair(TestSeed{vectors.at("key_seed").get<std::string>()});
  check_primes(vectors, keys.secret_key);
  CHECK(hexadecimal(keys.public_key.corrections()) == vectors.at("delta"));
  const she::PublicEncryptor encryptor(keys.public_key, open_backend(), encryption_random(vectors));
  CHECK(hexadecimal(values_of(encryptor.encrypt_all(
            vectors.at("numbers").get<std::vector<std::uint64_t>>()))) == vectors.at("fresh"));
}

TEST_CASE("keys and ciphertexts of test seeds are those of the second implementation",
          "[verifier]") {
  for (const std::string group : {"cnt-mini", "cnt-mini-digits", "cnt-mini-special", "cmnt-mini",
                                  "cmnt-mini-digits", "cmnt-mini-paper", "bdghv-mini", "gh-mini"}) {
    check_group(group);
  }
}

TEST_CASE("toy keys and ciphertexts of test seeds are those of the second implementation",
          "[verifier][long]") {
  for (const std::string group : {"cnt-toy", "cnt-toy-special", "cmnt-toy", "bdghv-toy", "gh-512"})
    check_group(group);
}

}  // namespace fhe::test
