// SPDX-License-Identifier: Apache-2.0
// The library against the golden vectors that the second implementation beside this file derives
// from the same test seeds, on its own: keys, encryptions, a sum, recryptions and their product, as
// integers.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "libfhe/scheme/keys.hpp"
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

}  // namespace

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
