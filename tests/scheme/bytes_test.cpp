// SPDX-License-Identifier: Apache-2.0
// Keys and ciphertexts as bytes in memory: those of their files, read with the same checks.
#include <algorithm>
#include <string>
#include <vector>

#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/files.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

using Bytes = std::vector<std::byte>;

const std::vector<std::string> kKindsOfGroups{"cnt-mini",  "cnt-mini-digits", "cnt-mini-special",
                                              "cmnt-mini", "cmnt-mini-paper", "gh-mini"};
const std::vector<bool> kSentBits{true, false, false, true, true};

std::vector<Ciphertext> some_ciphertexts(const KeyPair& keys) {
  return test_encryptor(keys).encrypt(kSentBits);
}

template <class Load>
void check_load_refused(const Load& load, ErrorCode code, const std::string& part) {
  CHECK_THROWS_MATCHES(load(), Error, HasCode(code, part));
}

// Whatever is cut off, added or changed is found.
template <class Load>
void check_altered_bytes(const Bytes& good, const Load& load) {
  CHECK_NOTHROW(load(good));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{7}, std::size_t{135}, good.size() / 2, good.size() - 1}) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    check_load_refused([&] { load(cut); }, ErrorCode::malformed_file, "'bytes in memory', byte");
  }
  Bytes longer = good;
  longer.push_back(std::byte{0});
  check_load_refused([&] { load(longer); }, ErrorCode::malformed_file, "ends at");
  for (std::size_t at = 0; at < good.size(); at += good.size() / 40 + 1) {
    Bytes altered = good;
    altered[at] ^= std::byte{0x10};
    CAPTURE(at);
    check_load_refused([&] { load(altered); }, ErrorCode::malformed_file, "'bytes in memory'");
  }
}

}  // namespace

TEST_CASE("bytes of keys and ciphertexts are those of their files", "[bytes]") {
  const TemporaryDirectory folder;
  for (const std::string& group : kKindsOfGroups) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    save(folder / "public", keys.public_key);
    CHECK(to_bytes(keys.public_key) == read_file(folder / "public"));
    save(folder / "secret", keys.secret_key);
    CHECK(std::ranges::equal(to_bytes(keys.secret_key), read_file(folder / "secret")));
    const std::vector<Ciphertext> ciphertexts = some_ciphertexts(keys);
    save(folder / "bits", ciphertexts, keys.public_key);
    CHECK(to_bytes(ciphertexts, keys.public_key) == read_file(folder / "bits"));
    if (group.starts_with("gh")) continue;
    const CompressedCiphertexts compressed = SecretEncryptor(keys.secret_key).encrypt(kSentBits);
    save(folder / "own", compressed, keys.secret_key);
    CHECK(to_bytes(compressed, keys.secret_key) == read_file(folder / "own"));
    CHECK(to_bytes(compressed, keys.public_key) == read_file(folder / "own"));
  }
}

TEST_CASE("what becomes bytes comes back from them", "[bytes]") {
  for (const std::string& group : kKindsOfGroups) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const Bytes public_bytes = to_bytes(keys.public_key);
    const SecretBytes secret_bytes = to_bytes(keys.secret_key);
    const PublicKey key = load_public_key(public_bytes);
    const SecretKey secret = load_secret_key(secret_bytes);
    CHECK(key.id() == keys.public_key.id());
    CHECK(secret.id() == keys.public_key.id());
    const Bytes sent = to_bytes(some_ciphertexts(keys), key);
    const std::vector<Ciphertext> received = load_ciphertexts(sent, key);
    CHECK(Decryptor(secret).decrypt(received) == kSentBits);
    CHECK(Decryptor(secret).decrypt(load_ciphertexts(sent, secret)) == kSentBits);
    const Ciphertext sum = Evaluator(key).and_gate(received[0], received[3]);
    const std::vector<Ciphertext> answer = load_ciphertexts(to_bytes({sum}, key), secret);
    CHECK(Decryptor(secret).decrypt(answer) == std::vector<bool>{true});
    CHECK(summarize(sent).header.kind == ObjectKind::ciphertexts);
    CHECK(summarize(sent).noise.size() == kSentBits.size());
    CHECK(summarize(public_bytes).file_bytes == public_bytes.size());
    if (group.starts_with("gh")) continue;
    const CompressedCiphertexts own = SecretEncryptor(secret).encrypt(kSentBits);
    const Bytes own_bytes = to_bytes(own, secret);
    CHECK(load_compressed_ciphertexts(own_bytes, key).corrections() == own.corrections());
    CHECK(load_compressed_ciphertexts(own_bytes, secret).seed() == own.seed());
    CHECK(Decryptor(secret).decrypt(load_ciphertexts(own_bytes, key)) == kSentBits);
  }
}

TEST_CASE("altered bytes are refused as altered files are", "[bytes]") {
  for (const std::string group : {"cnt-mini-special", "gh-mini"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    check_altered_bytes(to_bytes(keys.public_key),
                        [](const Bytes& bytes) { static_cast<void>(load_public_key(bytes)); });
    const SecretBytes secret = to_bytes(keys.secret_key);
    check_altered_bytes({secret.begin(), secret.end()},
                        [](const Bytes& bytes) { static_cast<void>(load_secret_key(bytes)); });
    // Altered bits of the key id belong to another key.
    const Bytes good = to_bytes(some_ciphertexts(keys), keys.public_key);
    check_altered_bytes(good, [&](const Bytes& bytes) {
      static_cast<void>(load_ciphertexts(bytes, keys.public_key));
    });
  }
}

TEST_CASE("bytes of another kind, of another key or past the limits are refused", "[bytes]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const KeyPair& other = test_keys("cnt-mini", "another pair");
  const Bytes key = to_bytes(keys.public_key);
  const Bytes bits = to_bytes(some_ciphertexts(keys), keys.public_key);
  check_load_refused([&] { static_cast<void>(load_secret_key(key)); }, ErrorCode::malformed_file,
                     "the file holds: public key, but wanted is: secret key");
  check_load_refused([&] { static_cast<void>(load_ciphertexts(bits, other.public_key)); },
                     ErrorCode::wrong_key, "bytes in memory");
  check_load_refused([&] { static_cast<void>(load_compressed_ciphertexts(bits, keys.public_key)); },
                     ErrorCode::invalid_argument, "holds whole ciphertexts");
  check_load_refused([&] { static_cast<void>(load_public_key(key, {.max_file_bytes = 100})); },
                     ErrorCode::invalid_argument, "more than the limit of 100");
  check_load_refused(
      [&] { static_cast<void>(load_ciphertexts(bits, keys.public_key, {.max_ciphertexts = 4})); },
      ErrorCode::invalid_argument, "5 ciphertexts");
  check_load_refused(
      [&] {
        static_cast<void>(
            to_bytes(some_ciphertexts(keys), keys.public_key, {.max_file_bytes = 1000}));
      },
      ErrorCode::invalid_argument, "the object would have");
  check_load_refused([&] { static_cast<void>(to_bytes(some_ciphertexts(keys), other.public_key)); },
                     ErrorCode::wrong_key, "");
  check_load_refused(
      [&] { static_cast<void>(to_bytes(std::vector<Ciphertext>(), keys.public_key)); },
      ErrorCode::invalid_argument, "at least one");
}

TEST_CASE("the bytes of a key under a passphrase need it", "[bytes]") {
  const KeyPair& keys = test_keys("cmnt-mini");
  const Passphrase passphrase(std::string("a passphrase"));
  const Bytes sealed = to_bytes(keys.secret_key, {passphrase, {.log_n = 4}});
  check_load_refused([&] { static_cast<void>(load_secret_key(sealed)); },
                     ErrorCode::invalid_argument, "encrypted under a passphrase");
  const auto with = [&](const char* text) {
    return load_secret_key(sealed, [text] { return Passphrase(std::string(text)); });
  };
  CHECK(with("a passphrase").id() == keys.secret_key.id());
  check_load_refused([&] { static_cast<void>(with("another")); }, ErrorCode::wrong_key,
                     "not its passphrase");
  CHECK(to_bytes(keys.secret_key, {passphrase, {.log_n = 4}}) != sealed);  // another salt
}

}  // namespace fhe::test
