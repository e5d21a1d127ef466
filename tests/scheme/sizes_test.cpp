// SPDX-License-Identifier: Apache-2.0
// What is said about the sizes of keys before they are made, against the files that are written.
#include "libfhe/scheme/sizes.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

// As sizes.hpp says, of groups whose keys differ in size.
constexpr double kMargin = 0.005;

KeySizes stated_sizes(const std::string& group) {
  return sizes_of(ParameterSet::named(group)).value();
}

void check_bytes(std::uint64_t stated, std::uint64_t written, bool exact) {
  CAPTURE(stated, written);
  if (exact) {
    CHECK(stated == written);
  } else {
    CHECK_THAT(static_cast<double>(stated),
               Catch::Matchers::WithinRel(static_cast<double>(written), kMargin));
  }
}

void check_files(const std::string& group) {
  CAPTURE(group);
  const KeySizes sizes = stated_sizes(group);
  CHECK(sizes.exact == !group.starts_with("gh"));
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder / "file.fhe";
  const auto written = [&](const auto&... objects) {
    save(file, objects...);
    return std::filesystem::file_size(file);
  };
  const KeyPair keys = KeyGenerator(ParameterSet::named(group)).generate(TestSeed{"sizes"});
  check_bytes(sizes.public_key_file, written(keys.public_key), sizes.exact);
  check_bytes(sizes.secret_key_file, written(keys.secret_key), sizes.exact);
  const Encryptor encryptor(keys.public_key);
  for (const std::size_t count : {std::size_t{1}, std::size_t{3}}) {
    const std::vector<Ciphertext> cs = encryptor.encrypt(std::vector<bool>(count, true));
    check_bytes(kCiphertextsFileBytes + count * sizes.ciphertext, written(cs, keys.public_key),
                sizes.exact);
    if (!sizes.compressed_bits) continue;
    const std::uint64_t bits = count * *sizes.compressed_bits;
    const SecretEncryptor owner(keys.secret_key);
    check_bytes(kCompressedFileBytes + bytes_for_bits(bits),
                written(owner.encrypt(std::vector<bool>(count, true)), keys.secret_key), true);
  }
  CHECK(sizes.compressed_bits.has_value() == !group.starts_with("gh"));
}

}  // namespace

TEST_CASE("the sizes of files are known before there is a key", "[sizes]") {
  check_files(GENERATE("cnt-mini", "cnt-mini-digits", "cnt-mini-special", "cmnt-mini",
                       "cmnt-mini-digits", "cmnt-mini-paper", "gh-mini", "cnt-toy", "cmnt-toy",
                       "cmnt-toy-paper", "gh-512"));
}

TEST_CASE("the sizes of larger files are known before there is a key", "[sizes][long]") {
  check_files(GENERATE("cnt-small", "cnt-medium", "cnt-large", "cmnt-small", "cmnt-medium",
                       "cmnt-large", "cmnt-small-paper", "cmnt-medium-paper", "cmnt-large-paper",
                       "gh-2048", "gh-8192", "gh-32768"));
}

// Readers refuse a determinant that is shorter or longer.
TEST_CASE("no GH key is further than the margin from the stated sizes", "[sizes][gh]") {
  const std::string group = GENERATE("gh-mini", "gh-512", "gh-2048", "gh-8192", "gh-32768");
  CAPTURE(group);
  const gh::Parameters parameters(ParameterSet::named(group));
  const auto typical = static_cast<double>(parameters.typical_determinant_bits());
  for (const std::size_t bits :
       {parameters.min_determinant_bits(), parameters.max_determinant_bits()}) {
    CHECK_THAT(static_cast<double>(bits), Catch::Matchers::WithinRel(typical, kMargin));
  }
}

TEST_CASE("a passphrase adds at most 120 bytes to a secret key", "[sizes]") {
  const std::string group = GENERATE("cnt-mini", "cmnt-mini", "gh-mini");
  CAPTURE(group);
  const TemporaryDirectory folder;
  const SecretKey& key = test_keys(group).secret_key;
  save(folder / "open.fhe", key);
  const Passphrase passphrase(std::string("a passphrase"));
  save(folder / "sealed.fhe", key, {passphrase, {.log_n = 4}});
  const std::uint64_t open = std::filesystem::file_size(folder / "open.fhe");
  const std::uint64_t sealed = std::filesystem::file_size(folder / "sealed.fhe");
  CHECK(sealed > open);
  CHECK(sealed - open <= 120);
}

TEST_CASE("a group that makes no keys has no sizes, every other one has", "[sizes]") {
  for (const std::string& name : ParameterSet::names()) {
    CAPTURE(name);
    const ParameterSet group = ParameterSet::named(name);
    const std::optional<KeySizes> sizes = sizes_of(group);
    CHECK(sizes.has_value() == group.makes_keys());
    if (!sizes) continue;
    CHECK(sizes->ciphertext > 0);
    // It holds the modulus, or the complement of a special one.
    if (!group.has("q0_offset_bits")) CHECK(sizes->secret_key_file > sizes->ciphertext);
    CHECK(sizes->public_key_file > 2 * sizes->ciphertext);
    CHECK(sizes->recryption_memory > sizes->public_key_file);
  }
}

}  // namespace fhe::test
