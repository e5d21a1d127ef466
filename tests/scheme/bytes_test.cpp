// SPDX-License-Identifier: Apache-2.0
// Keys and ciphertexts as bytes in memory and in streams: those of their files, read with the same
// checks.
#include <algorithm>
#include <istream>
#include <ostream>
#include <sstream>
#include <streambuf>
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

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Gives or takes so many bytes and then fails: at once, or by an exception as streams of others do.
class FailingBuffer final : public std::streambuf {
 public:
  explicit FailingBuffer(std::string text, std::size_t bytes) : text_(std::move(text)) {
    text_.resize(bytes);
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

 protected:
  int_type underflow() override { throw std::runtime_error("the line is dead"); }
  std::streamsize xsputn(const char*, std::streamsize count) override {
    const auto taken = std::min<std::streamsize>(count, static_cast<std::streamsize>(text_.size()));
    text_.resize(text_.size() - static_cast<std::size_t>(taken));
    return taken;
  }

 private:
  std::string text_;
};

// The stream throws where its state says that it failed.
void check_failing_stream(const std::string& good, std::size_t bytes, bool throws) {
  CAPTURE(bytes, throws);
  FailingBuffer buffer(good, bytes);
  std::iostream stream(&buffer);
  if (throws) stream.exceptions(std::ios::failbit | std::ios::eofbit);
  check_load_refused([&] { static_cast<void>(load_public_key(stream)); }, ErrorCode::io,
                     "'stream'");
}

}  // namespace

TEST_CASE("objects follow each other in one stream", "[bytes]") {
  for (const std::string& group : kKindsOfGroups) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const PublicKey& key = keys.public_key;
    const Passphrase passphrase(std::string("a passphrase"));
    const auto ask = [] { return Passphrase(std::string("a passphrase")); };
    const std::vector<Ciphertext> ciphertexts = some_ciphertexts(keys);
    std::stringstream stream;
    save(stream, key);
    CHECK(stream.str() == text_of(to_bytes(key)));
    save(stream, keys.secret_key);
    save(stream, keys.secret_key, {passphrase, {.log_n = 4}});
    for (int time = 0; time < 2; ++time) save(stream, ciphertexts, key);
    CHECK(load_public_key(stream).id() == key.id());
    const SecretKey secret = load_secret_key(stream);
    CHECK(load_secret_key(stream, ask).id() == key.id());
    CHECK(Decryptor(secret).decrypt(load_ciphertexts(stream, secret)) == kSentBits);
    CHECK(summarize(stream).noise.size() == kSentBits.size());
    if (!group.starts_with("gh")) {
      const CompressedCiphertexts own = SecretEncryptor(secret).encrypt(kSentBits);
      save(stream, own, secret);
      save(stream, own, key);
      CHECK(load_compressed_ciphertexts(stream, key).corrections() == own.corrections());
      CHECK(Decryptor(secret).decrypt(load_ciphertexts(stream, key)) == kSentBits);
    }
    CHECK(stream.peek() == std::stringstream::traits_type::eof());
  }
}

TEST_CASE("streams that are cut, altered or past the limits are refused", "[bytes]") {
  for (const std::string group : {"cmnt-mini-paper", "gh-mini"}) {
    CAPTURE(group);
    const std::string good = text_of(to_bytes(test_keys(group).public_key));
    const auto load = [](const std::string& text, const ReadLimits& limits = {}) {
      std::istringstream in(text);
      static_cast<void>(load_public_key({in, "the line"}, limits));
    };
    CHECK_NOTHROW(load(good));
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{7}, std::size_t{135}, good.size() / 2, good.size() - 1}) {
      check_load_refused([&] { load(good.substr(0, size)); }, ErrorCode::malformed_file,
                         "'the line', byte");
      std::istringstream cut(good.substr(0, size));
      check_load_refused([&] { static_cast<void>(summarize(cut)); }, ErrorCode::malformed_file,
                         "'stream', byte");
    }
    for (std::size_t at = 0; at < good.size(); at += good.size() / 40 + 1) {
      std::string altered = good;
      altered[at] = static_cast<char>(altered[at] ^ 0x10);
      CAPTURE(at);
      check_load_refused([&] { load(altered); }, ErrorCode::malformed_file, "'the line'");
    }
    check_load_refused([&] { load(good, {.max_file_bytes = good.size() - 1}); },
                       ErrorCode::invalid_argument, "more than the limit");
  }
}

TEST_CASE("a stream is read in its order", "[bytes]") {
  std::istringstream in("0123456789");
  const Source source(in, "the line");
  const auto opened = source.open();
  Bytes bytes(2);
  CHECK(opened->read(4, bytes) == 6);
  CHECK(text_of(bytes) == "45");
  check_load_refused([&] { static_cast<void>(opened->read(5, bytes)); },
                     ErrorCode::invalid_argument, "'the line' is a stream, which is read once");
  CHECK(opened->read(6, bytes) == 8);
  CHECK(text_of(bytes) == "67");
}

TEST_CASE("a stream that fails is an error", "[bytes]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const std::string good = text_of(to_bytes(keys.public_key));
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{200}, good.size() - 1}) {
    for (const bool throws : {false, true}) check_failing_stream(good, bytes, throws);
    FailingBuffer buffer(good, bytes);
    std::ostream out(&buffer);
    check_load_refused([&] { save(out, keys.public_key); }, ErrorCode::io, "cannot write");
  }
  FailingBuffer enough(good, good.size());
  std::ostream out(&enough);
  CHECK_NOTHROW(save(out, keys.public_key));
}

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
  check_load_refused([&] { static_cast<void>(load_secret_key(key)); }, ErrorCode::wrong_key,
                     "holds a public key of bits (cnt-mini); needed here: a secret key of bits");
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
