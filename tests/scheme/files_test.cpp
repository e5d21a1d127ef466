// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/files.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "tests/catch.hpp"
#include "tests/support/container_draft.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

using Bytes = std::vector<std::byte>;
using std::filesystem::perms;

const std::vector<bool> kBits{true, false, true, true, false};

KeyPair make_keys(const std::string& seed, const std::string& group = "cnt-mini") {
  return KeyGenerator(ParameterSet::named(group)).generate(TestSeed{seed});
}

const KeyPair& keys() {
  static const KeyPair pair = make_keys("files");
  return pair;
}

const KeyPair& other_keys() {
  static const KeyPair pair = make_keys("other files");
  return pair;
}

std::vector<Ciphertext> encrypt(const KeyPair& pair, const std::vector<bool>& bits) {
  const Encryptor encryptor(pair.public_key, open_backend(), std::make_shared<TestRandom>("files"));
  return encryptor.encrypt(bits);
}

const std::vector<Ciphertext>& ciphertexts() {
  static const std::vector<Ciphertext> list = encrypt(keys(), kBits);
  return list;
}

// A directory with the files of one key pair and some ciphertexts.
class Saved {
 public:
  Saved() {
    save(public_path(), secret_path(), keys());
    save(ciphertexts_path(), ciphertexts(), keys().public_key);
  }

  [[nodiscard]] std::filesystem::path public_path() const { return directory_ / "public.fhe"; }
  [[nodiscard]] std::filesystem::path secret_path() const { return directory_ / "secret.fhe"; }
  [[nodiscard]] std::filesystem::path ciphertexts_path() const { return directory_ / "c.fhe"; }
  [[nodiscard]] std::filesystem::path other(const std::string& name) const {
    return directory_ / name;
  }

 private:
  TemporaryDirectory directory_;
};

// Changes a byte at each of many places and loads; every change must be found.
template <class Load>
void check_alterations_found(const std::filesystem::path& path, const Load& load) {
  constexpr int kPlaces = 200;
  const Bytes good = read_file(path);
  std::mt19937 random(7);
  for (int i = 0; i < kPlaces; ++i) {
    const std::size_t place =
        std::uniform_int_distribution<std::size_t>(0, good.size() - 1)(random);
    const int flip = std::uniform_int_distribution(1, 255)(random);
    overwrite_byte(path, place, good[place] ^ static_cast<std::byte>(flip));
    INFO("byte " << place << " xor " << flip);
    CHECK_THROWS_MATCHES(load(), Error, HasCode(ErrorCode::malformed_file, path.string()));
    overwrite_byte(path, place, good[place]);
  }
  CHECK_NOTHROW(load());
}

std::filesystem::path frozen(const std::string& name) {
  return std::filesystem::path(FHE_TEST_DATA_DIR) / "frozen" / name;
}

// A key pair and ciphertexts in the frozen files <prefix>public.fhe, ...
struct FrozenSample {
  std::string group;
  std::string prefix;
};
const std::vector<FrozenSample> kFrozenSamples{{"cnt-mini", ""},
                                               {"cmnt-mini", "cmnt-"},
                                               {"cmnt-mini-paper", "cmnt-paper-"},
                                               {"bdghv-mini", "bdghv-"},
                                               {"gh-mini", "gh-"}};

void freeze(const FrozenSample& sample) {
  const KeyPair pair = make_keys("frozen", sample.group);
  const Encryptor encryptor(pair.public_key, open_backend(),
                            std::make_shared<TestRandom>("frozen"));
  save(frozen(sample.prefix + "public.fhe"), frozen(sample.prefix + "secret.fhe"), pair);
  save(frozen(sample.prefix + "ciphertexts.fhe"), encryptor.encrypt(kBits), pair.public_key);
}

void freeze_compressed(const FrozenSample& sample) {
  const SecretKey key = load_secret_key(frozen(sample.prefix + "secret.fhe"));
  const SecretEncryptor owner(key, open_backend(), std::make_shared<TestRandom>("frozen"));
  save(frozen(sample.prefix + "compressed.fhe"), owner.encrypt(kBits), key);
}

void check_frozen(const FrozenSample& sample) {
  CAPTURE(sample.prefix);
  const PublicKey public_key = load_public_key(frozen(sample.prefix + "public.fhe"));
  const SecretKey secret_key = load_secret_key(frozen(sample.prefix + "secret.fhe"));
  const auto loaded = load_ciphertexts(frozen(sample.prefix + "ciphertexts.fhe"), public_key);
  CHECK(public_key.parameters().name() == sample.group);
  CHECK(public_key.id().test_key);
  CHECK(secret_key.id() == public_key.id());
  CHECK(Decryptor(secret_key).decrypt(loaded) == kBits);

  const TemporaryDirectory directory;
  save(directory / "public.fhe", public_key);
  save(directory / "secret.fhe", secret_key);
  save(directory / "ciphertexts.fhe", loaded, public_key);
  for (const std::string name : {"public.fhe", "secret.fhe", "ciphertexts.fhe"}) {
    CHECK(read_file(directory / name) == read_file(frozen(sample.prefix + name)));
  }
  const std::filesystem::path compressed_path = frozen(sample.prefix + "compressed.fhe");
  if (sample.prefix == "gh-") return;
  CHECK(Decryptor(secret_key).decrypt(load_ciphertexts(compressed_path, public_key)) == kBits);
  save(directory / "compressed.fhe", load_compressed_ciphertexts(compressed_path, public_key),
       public_key);
  CHECK(read_file(directory / "compressed.fhe") == read_file(compressed_path));
}

// The sections of a key of `group`, and what loading a changed copy of them says.
class ForgedKey {
 public:
  explicit ForgedKey(const std::string& group) {
    const KeyPair pair = make_keys("forged", group);
    save(path("public"), path("secret"), pair);
  }

  [[nodiscard]] Draft public_draft() const { return Draft(path("public")); }
  [[nodiscard]] Draft secret_draft() const { return Draft(path("secret")); }

  void check_public_refused(Draft draft, const std::string& part) const {
    INFO("expected in the message: " << part);
    draft.fit_key_id();
    draft.write(path("forged"));
    CHECK_THROWS_MATCHES(load_public_key(path("forged")), Error,
                         HasCode(ErrorCode::malformed_file, part));
  }

  void check_secret_refused(const Draft& draft, const std::string& part) const {
    INFO("expected in the message: " << part);
    draft.write(path("forged"));
    CHECK_THROWS_MATCHES(load_secret_key(path("forged")), Error,
                         HasCode(ErrorCode::malformed_file, part));
  }

  // A copy whose sections are left alone still loads: what is refused is refused for its change.
  void check_unchanged_accepted() const {
    Draft draft = public_draft();
    draft.fit_key_id();
    draft.write(path("forged"));
    CHECK_NOTHROW(load_public_key(path("forged")));
  }

 private:
  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return directory_ / name;
  }

  TemporaryDirectory directory_;
};

// Overwrites `size` bytes of a section at `offset` with a number.
void put(Bytes& contents, std::size_t offset, std::size_t size, const Integer& value) {
  to_bytes(value, std::span(contents).subspan(offset, size));
}

// The file of ciphertexts written by hand.
void write_ciphertexts(const std::filesystem::path& path, const std::vector<Integer>& values,
                       std::uint64_t count, std::size_t bits, std::uint32_t noise_units) {
  const ParameterSet& parameters = keys().public_key.parameters();
  const KeyId& id = keys().public_key.id();
  ContainerWriter out(path,
                      {.kind = ObjectKind::ciphertexts,
                       .test_key = id.test_key,
                       .scheme = parameters.scheme(),
                       .parameters = parameters.name(),
                       .parameters_digest = parameters.digest(),
                       .key_id = id.digest},
                      2);
  out.begin_section("meta");
  out.write_u64(count);
  out.write_u64(bits);
  for (std::size_t i = 0; i < values.size(); ++i) out.write_u32(noise_units);
  out.begin_section("values");
  for (const Integer& value : values) out.write_integer(value, bits);
  out.commit();
}

}  // namespace

TEST_CASE("keys come back from their files", "[files]") {
  const Saved saved;
  const PublicKey public_key = load_public_key(saved.public_path());
  const SecretKey secret_key = load_secret_key(saved.secret_path());
  CHECK(public_key.id() == keys().public_key.id());
  CHECK(public_key.parameters() == keys().public_key.parameters());
  CHECK(public_key.modulus() == keys().public_key.modulus());
  CHECK(secret_key.id() == keys().secret_key.id());
  CHECK(secret_key.parameters() == keys().secret_key.parameters());
  CHECK(public_key.id().test_key);

  const KeyPair& original = keys();
  CHECK(Decryptor(secret_key).decrypt(encrypt(original, kBits)) == kBits);
  const std::vector<Ciphertext> under_loaded = Encryptor(public_key).encrypt(kBits);
  CHECK(Decryptor(original.secret_key).decrypt(under_loaded) == kBits);
}

TEST_CASE("a loaded key is saved to the same bytes", "[files]") {
  const Saved saved;
  save(saved.other("public"), load_public_key(saved.public_path()));
  save(saved.other("secret"), load_secret_key(saved.secret_path()));
  CHECK(read_file(saved.other("public")) == read_file(saved.public_path()));
  CHECK(read_file(saved.other("secret")) == read_file(saved.secret_path()));
}

TEST_CASE("the file of a secret key is for its owner only", "[files]") {
  const Saved saved;
  CHECK(permissions_of(saved.secret_path()) == perms(0600));
  save(saved.other("alone"), keys().secret_key);
  CHECK(permissions_of(saved.other("alone")) == perms(0600));
}

TEST_CASE("the mark of a test key stays in every file", "[files]") {
  const Saved saved;
  CHECK(summarize(saved.public_path()).header.test_key);
  CHECK(summarize(saved.secret_path()).header.test_key);
  CHECK(summarize(saved.ciphertexts_path()).header.test_key);
  const KeyPair real = KeyGenerator(ParameterSet::named("cnt-mini")).generate();
  save(saved.other("public"), saved.other("secret"), real);
  CHECK_FALSE(load_public_key(saved.other("public")).id().test_key);
  CHECK_FALSE(load_secret_key(saved.other("secret")).id().test_key);
}

TEST_CASE("ciphertexts come back from their file, for either key", "[files]") {
  const Saved saved;
  const auto check = [](const std::vector<Ciphertext>& loaded) {
    REQUIRE(loaded.size() == ciphertexts().size());
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      CHECK(loaded[i].value() == ciphertexts()[i].value());
      CHECK(loaded[i].noise() == ciphertexts()[i].noise());
      CHECK(loaded[i].key() == ciphertexts()[i].key());
    }
  };
  check(load_ciphertexts(saved.ciphertexts_path(), keys().public_key));
  check(load_ciphertexts(saved.ciphertexts_path(), keys().secret_key));
}

TEST_CASE("a summary tells what a file is without a key", "[files]") {
  const Saved saved;
  const FileSummary summary = summarize(saved.ciphertexts_path());
  CHECK(summary.header.kind == ObjectKind::ciphertexts);
  CHECK(summary.header.parameters == "cnt-mini");
  CHECK(summary.header.key_id == keys().public_key.id().digest);
  CHECK(summary.file_bytes == file_size(saved.ciphertexts_path()));
  REQUIRE(summary.noise.size() == kBits.size());
  CHECK(summary.noise.front() == ciphertexts().front().noise());
  REQUIRE(summary.sections.size() == 2);
  CHECK(summary.sections[0] ==
        std::pair<std::string, std::uint64_t>("meta", 16 + 4 * kBits.size()));
  const FileSummary key = summarize(saved.public_path());
  CHECK(key.header.kind == ObjectKind::public_key);
  CHECK(key.sections.front().first == "params");
  CHECK(key.noise.empty());
}

TEST_CASE("a change of any byte of a key or ciphertext file is found", "[files]") {
  const Saved saved;
  check_alterations_found(saved.public_path(),
                          [&] { return load_public_key(saved.public_path()); });
  check_alterations_found(saved.secret_path(),
                          [&] { return load_secret_key(saved.secret_path()); });
  check_alterations_found(saved.ciphertexts_path(), [&] {
    return load_ciphertexts(saved.ciphertexts_path(), keys().public_key);
  });
}

TEST_CASE("ciphertexts of another key are refused, naming both keys", "[files]") {
  const Saved saved;
  const auto refused = HasCode(ErrorCode::wrong_key, saved.ciphertexts_path().string());
  CHECK_THROWS_MATCHES(load_ciphertexts(saved.ciphertexts_path(), other_keys().public_key), Error,
                       refused);
  CHECK_THROWS_MATCHES(load_ciphertexts(saved.ciphertexts_path(), other_keys().secret_key), Error,
                       HasCode(ErrorCode::wrong_key, keys().public_key.id().text()) &&
                           HasCode(ErrorCode::wrong_key, other_keys().public_key.id().text()));
}

TEST_CASE("what is not a ciphertext of the key is not saved", "[files]") {
  const Saved saved;
  const auto path = saved.other("refused");
  const PublicKey& key = keys().public_key;
  const NoiseBound noise = ciphertexts().front().noise();
  CHECK_THROWS_MATCHES(save(path, std::vector<Ciphertext>{}, key), Error,
                       HasCode(ErrorCode::invalid_argument, "at least one ciphertext"));
  CHECK_THROWS_MATCHES(save(path, ciphertexts(), other_keys().public_key), Error,
                       HasCode(ErrorCode::wrong_key));
  CHECK_THROWS_MATCHES(save(path, {Ciphertext(key.modulus(), noise, key.id())}, key), Error,
                       HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(save(path, {Ciphertext(-1, noise, key.id())}, key), Error,
                       HasCode(ErrorCode::invalid_argument));
  CHECK_FALSE(exists(path));
}

TEST_CASE("a value that is not below the modulus is refused, naming its index", "[files]") {
  const TemporaryDirectory directory;
  const auto path = directory / "c.fhe";
  const Integer& modulus = keys().public_key.modulus();
  const std::size_t bits = bit_length(modulus);
  write_ciphertexts(path, {0, modulus - 1}, 2, bits, 5);
  CHECK(load_ciphertexts(path, keys().public_key).back().value() == modulus - 1);
  for (const Integer& value : {modulus, Integer(power_of_two(bits) - 1)}) {
    write_ciphertexts(path, {0, value}, 2, bits, 5);
    CHECK_THROWS_MATCHES(load_ciphertexts(path, keys().public_key), Error,
                         HasCode(ErrorCode::malformed_file, "ciphertext 1 is not below"));
  }
}

TEST_CASE("forged numbers about ciphertexts are refused before anything is allocated", "[files]") {
  const TemporaryDirectory directory;
  const auto path = directory / "c.fhe";
  const std::size_t bits = bit_length(keys().public_key.modulus());
  const auto refused = [&](std::uint64_t count, std::size_t modulus_bits, std::uint32_t noise,
                           const HasCode& error) {
    write_ciphertexts(path, {1, 2}, count, modulus_bits, noise);
    CHECK_THROWS_MATCHES(load_ciphertexts(path, keys().public_key), Error, error);
  };
  const auto malformed = HasCode(ErrorCode::malformed_file, path.string());
  refused(0, bits, 5, malformed);
  refused(1, bits, 5, malformed);
  refused(3, bits, 5, malformed);
  refused(std::uint64_t{1} << 20, bits, 5, malformed);
  refused(std::numeric_limits<std::uint64_t>::max(), bits, 5, malformed);
  refused(2, bits + 8, 5, malformed);
  refused(2, bits - 8, 5, malformed);
  refused(2, bits, (1u << 31) + 1, malformed);
  write_ciphertexts(path, {1, 2}, 2, bits, 1u << 31);
  CHECK(load_ciphertexts(path, keys().public_key).front().noise().units() == 1u << 31);
}

TEST_CASE("counts are checked against the sizes even when a caller sets no limit", "[files]") {
  const TemporaryDirectory directory;
  const auto path = directory / "c.fhe";
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const ReadLimits none{.max_file_bytes = kMax, .max_ciphertexts = kMax};
  for (const std::uint64_t count : {kMax, kMax / 4, (kMax / 4) + 3}) {
    write_ciphertexts(path, {1, 2}, count, bit_length(keys().public_key.modulus()), 5);
    CHECK_THROWS_MATCHES(load_ciphertexts(path, keys().public_key, none), Error,
                         HasCode(ErrorCode::malformed_file));
    CHECK_THROWS_MATCHES(summarize(path, none), Error, HasCode(ErrorCode::malformed_file));
  }
}

TEST_CASE("the limits of a reader apply to every kind of file", "[files]") {
  const Saved saved;
  const auto refused = HasCode(ErrorCode::invalid_argument, "limit");
  const ReadLimits few_bytes{.max_file_bytes = 200};
  CHECK_THROWS_MATCHES(load_public_key(saved.public_path(), few_bytes), Error, refused);
  CHECK_THROWS_MATCHES(load_secret_key(saved.secret_path(), few_bytes), Error, refused);
  const ReadLimits few_ciphertexts{.max_ciphertexts = kBits.size() - 1};
  CHECK_THROWS_MATCHES(
      load_ciphertexts(saved.ciphertexts_path(), keys().secret_key, few_ciphertexts), Error,
      refused);
}

TEST_CASE("what the limits let a writer save, they let a reader load", "[files]") {
  const TemporaryDirectory directory;
  const auto path = directory / "c.fhe";
  const PublicKey& key = keys().public_key;
  save(path, ciphertexts(), key);
  const std::uint64_t size = std::filesystem::file_size(path);
  const ReadLimits enough{.max_file_bytes = size, .max_ciphertexts = kBits.size()};
  for (const ReadLimits& less :
       {ReadLimits{.max_file_bytes = size - 1, .max_ciphertexts = kBits.size()},
        ReadLimits{.max_file_bytes = size, .max_ciphertexts = kBits.size() - 1}}) {
    CHECK_THROWS_MATCHES(load_ciphertexts(path, key, less), Error,
                         HasCode(ErrorCode::invalid_argument, "--max-"));
    CHECK_THROWS_MATCHES(save(directory / "no", ciphertexts(), key, less), Error,
                         HasCode(ErrorCode::invalid_argument, "--max-"));
    CHECK_THROWS_MATCHES(require_savable(kBits.size(), key, less, "x"), Error,
                         HasCode(ErrorCode::invalid_argument, "x would"));
  }
  CHECK(directory.size() == 1);
  CHECK_NOTHROW(require_savable(kBits.size(), key, enough, "x"));
  save(path, ciphertexts(), key, enough);
  CHECK(load_ciphertexts(path, key, enough).size() == kBits.size());
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const ReadLimits none{.max_file_bytes = kMax - 1, .max_ciphertexts = kMax};
  for (const std::uint64_t many : {kMax, kMax / 1000, kMax / 1156 + 1}) {
    CHECK_THROWS_MATCHES(require_savable(many, key, none, "x"), Error,
                         HasCode(ErrorCode::invalid_argument, "bytes"));
  }
}

TEST_CASE("the defaults have room for large checkpoints", "[files]") {
  // 1,500 ciphertexts of cnt-large: 3.7 GB.
  constexpr std::uint64_t kBytes = std::uint64_t{1500} * 19575950 / 8;
  CHECK(ReadLimits{}.max_file_bytes > 10 * kBytes);
}

TEST_CASE("the sections of a file stand in one order", "[files]") {
  const TemporaryDirectory directory;
  const auto path = directory / "file";
  const auto refused = HasCode(ErrorCode::malformed_file, "in this order");
  for (const std::string group : {"cnt-mini", "cmnt-mini", "gh-mini"}) {
    CAPTURE(group);
    const KeyPair pair = make_keys("order", group);
    save(directory / "public", directory / "secret", pair);
    save(directory / "ciphertexts", encrypt(pair, {true}), pair.public_key);
    const auto each_swap = [&](const std::string& name, const auto& load) {
      Draft draft(directory / name);
      for (std::size_t i = 0; i + 1 < draft.sections.size(); ++i) {
        CAPTURE(name, draft.sections[i].name);
        std::swap(draft.sections[i], draft.sections[i + 1]);
        if (name == "public") draft.fit_key_id();
        draft.write(path);
        CHECK_THROWS_MATCHES(load(), Error, refused);
        std::swap(draft.sections[i], draft.sections[i + 1]);
      }
    };
    each_swap("public", [&] { return load_public_key(path).id().text(); });
    each_swap("secret", [&] { return load_secret_key(path).id().text(); });
    each_swap("ciphertexts", [&] { return load_ciphertexts(path, pair.public_key).size(); });
    each_swap("ciphertexts", [&] { return summarize(path).file_bytes; });
  }
}

TEST_CASE("a summary checks the size that ciphertexts are said to have", "[files]") {
  const Saved saved;
  const auto path = saved.other("c.fhe");
  const std::size_t bits = bit_length(keys().public_key.modulus());
  const auto summary_of = [&](std::uint64_t modulus_bits) {
    Draft draft(saved.ciphertexts_path());
    const auto number = std::as_bytes(std::span(&modulus_bits, 1));
    std::ranges::copy(number, draft["meta"].begin() + 8);
    draft.write(path);
    return summarize(path);
  };
  CHECK(summary_of(bits).noise.size() == kBits.size());
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t wrong : {std::uint64_t{0}, kMax, kMax - 6, kMax - 7, kMax / 2,
                                    std::uint64_t{bits - 8}, std::uint64_t{bits + 8}}) {
    CAPTURE(wrong);
    CHECK_THROWS_MATCHES(summary_of(wrong), Error, HasCode(ErrorCode::malformed_file, "c.fhe"));
  }
}

TEST_CASE("a forged parameter group of a key is refused", "[files]") {
  const Saved saved;
  const auto path = saved.other("forged");
  const auto check = [&](const Draft& draft, const std::string& part) {
    INFO("expected in the message: " << part);
    draft.write(path);
    CHECK_THROWS_MATCHES(load_public_key(path), Error, HasCode(ErrorCode::malformed_file, part));
  };
  const Draft good(saved.public_path());

  Draft garbage = good;
  garbage["params"].assign(10, std::byte{'='});
  check(garbage, "section 'params'");

  Draft oversized = good;
  oversized["params"].resize(64 * 1024 + 1, std::byte{'\n'});
  check(oversized, "65537 bytes, but must have 1 to 65536");

  Draft renamed = good;
  renamed.header.parameters = "my-group";
  check(renamed, "another parameter group");

  Draft posing = good;
  posing.header.parameters = "cnt-toy";
  posing.replace_in_parameters("cnt-mini", "cnt-toy");
  check(posing, "it claims to be cnt-toy, but its parameters are not those of cnt-toy");

  Draft benchmark = good;
  benchmark.replace_in_parameters("\"scheme\"", "\"benchmark\"");
  check(benchmark, "");

  Draft other_scheme = good;
  other_scheme.set_parameters("name = \"x\"\nscheme = \"unheard-of\"\npurpose = \"scheme\"\n");
  check(other_scheme, "unheard-of");
}

TEST_CASE("a header that names another group of the same name is refused", "[files]") {
  const TemporaryDirectory directory;
  save(directory / "public", directory / "secret", keys());
  save(directory / "c", encrypt(keys(), kBits), keys().public_key);
  const auto refused = [&](const char* file, const auto& load, const std::string& part) {
    Draft draft(directory / file);
    draft.header.parameters_digest.front() ^= std::byte{1};
    draft.write(directory / "forged");
    CHECK_THROWS_MATCHES(load(directory / "forged"), Error,
                         HasCode(ErrorCode::malformed_file, part));
  };
  refused(
      "secret", [](const auto& path) { return load_secret_key(path); },
      "the header names another parameter group");
  refused(
      "c", [](const auto& path) { return load_ciphertexts(path, keys().public_key); },
      "has the name of the key's, but is another one");
}

TEST_CASE("a forged key id of a public key is refused", "[files]") {
  const Saved saved;
  Draft draft(saved.public_path());
  draft.header.key_id = other_keys().public_key.id().digest;
  draft.write(saved.other("forged"));
  CHECK_THROWS_MATCHES(load_public_key(saved.other("forged")), Error,
                       HasCode(ErrorCode::malformed_file, "key id"));
}

TEST_CASE("missing, additional and exchanged sections of keys are refused", "[files]") {
  const Saved saved;
  const auto path = saved.other("forged");
  const auto malformed = HasCode(ErrorCode::malformed_file, path.string());
  const Draft good(saved.secret_path());

  Draft missing = good;
  missing.sections.pop_back();
  missing.write(path);
  CHECK_THROWS_MATCHES(load_secret_key(path), Error, malformed);

  Draft additional = good;
  additional.sections.push_back({"more", Bytes(5)});
  additional.write(path);
  CHECK_THROWS_MATCHES(load_secret_key(path), Error, malformed);

  Draft longer = good;
  longer.sections.back().contents.push_back(std::byte{0});
  longer.write(path);
  CHECK_THROWS_MATCHES(load_secret_key(path), Error, malformed);

  Draft exchanged = Draft(saved.public_path());
  std::swap(exchanged.sections[3].name, exchanged.sections[4].name);
  exchanged.write(path);
  CHECK_THROWS_MATCHES(load_public_key(path), Error, malformed);
}

TEST_CASE("a new pair of keys replaces an older one and leaves nothing beside it", "[files]") {
  const TemporaryDirectory directory;
  save(directory / "public", directory / "secret", keys());
  save(directory / "public", directory / "secret", other_keys());
  CHECK(load_public_key(directory / "public").id() == other_keys().public_key.id());
  CHECK(load_secret_key(directory / "secret").id() == other_keys().public_key.id());
  CHECK(permissions_of(directory / "secret") == perms(0600));
  CHECK(directory.size() == 2);
}

TEST_CASE("a pair of keys is saved as a whole or not at all", "[files]") {
  const TemporaryDirectory directory;
  const auto secret = directory / "secret";
  CHECK_THROWS_MATCHES(save(directory / "missing" / "public", secret, keys()), Error,
                       HasCode(ErrorCode::io));
  CHECK(directory.size() == 0);
  CHECK_THROWS_MATCHES(save(directory / "one", directory / "./one", keys()), Error,
                       HasCode(ErrorCode::invalid_argument, "cannot both be"));
  CHECK(directory.size() == 0);

  create_directory(directory / "sub");
  CHECK_THROWS_MATCHES(save(directory / "sub" / "public", secret, keys()), Error,
                       HasCode(ErrorCode::invalid_argument, "in one directory"));
  CHECK(is_empty(directory / "sub"));
  CHECK(directory.size() == 1);

  save(directory / "public", secret, keys());
  CHECK_THROWS_MATCHES(save(directory / "sub", secret, other_keys()), Error,
                       HasCode(ErrorCode::io, "it is a directory"));
  CHECK(load_public_key(directory / "public").id() == keys().public_key.id());
  CHECK(load_secret_key(secret).id() == keys().public_key.id());
  CHECK(directory.size() == 3);

  const auto longest = directory / std::string(255, 'p');
  save(longest, secret, keys());
  save(longest, secret, other_keys());
  CHECK(load_public_key(longest).id() == other_keys().public_key.id());
  CHECK(directory.size() == 4);
}

TEST_CASE("a secret key comes back from under a passphrase", "[files]") {
  const ScryptCost cheap{.log_n = 4, .r = 1, .p = 1};
  const Passphrase right(std::string("correct horse"));
  const auto answer = [](const std::string& text) {
    return [text] { return Passphrase(std::string(text)); };
  };
  for (const std::string group : {"cnt-mini", "cmnt-mini-paper", "gh-mini"}) {
    CAPTURE(group);
    const TemporaryDirectory directory;
    const KeyPair pair = make_keys("sealed", group);
    const auto path = directory / "sealed";
    save(directory / "public", path, pair, PassphraseLock{right, cheap});
    CHECK(permissions_of(path) == perms(0600));
    const SecretKey loaded = load_secret_key(path, answer("correct horse"));
    CHECK(loaded.id() == pair.secret_key.id());
    save(directory / "plain", pair.secret_key);
    save(directory / "opened", loaded);
    CHECK(read_file(directory / "opened") == read_file(directory / "plain"));
    CHECK(load_secret_key(directory / "plain", [] {
            FAIL("asked");
            return Passphrase("x");
          }).id() == pair.secret_key.id());

    CHECK_THROWS_MATCHES(load_secret_key(path, answer("correct house")), Error,
                         HasCode(ErrorCode::wrong_key, "this is not its passphrase"));
    CHECK_THROWS_MATCHES(load_secret_key(path), Error,
                         HasCode(ErrorCode::invalid_argument, "under a passphrase"));
    // The values of the key are nowhere in the file.
    const Draft plain(directory / "plain");
    const Bytes file = read_file(path);
    for (const Draft::Section& section : plain.sections) {
      if (section.name == "params") continue;
      const auto start = std::span(section.contents).first(16);
      CHECK(std::ranges::search(file, start).empty());
    }
  }
}

TEST_CASE("an altered or forged file of a key under a passphrase is refused", "[files]") {
  const TemporaryDirectory directory;
  const auto path = directory / "sealed";
  const Passphrase right(std::string("correct horse"));
  save(path, keys().secret_key, PassphraseLock{right, ScryptCost{.log_n = 4, .r = 1, .p = 1}});
  const auto load = [&] {
    return load_secret_key(path, [] { return Passphrase("correct horse"); });
  };
  check_alterations_found(path, load);

  const Draft good(path);
  const auto refused = [&](const std::function<void(Draft&)>& change, ErrorCode code,
                           const std::string& part) {
    INFO("expected in the message: " << part);
    Draft draft = good;
    change(draft);
    draft.write(path);
    CHECK_THROWS_MATCHES(load(), Error, HasCode(code, part));
  };
  const auto altered = ErrorCode::wrong_key;
  refused([](Draft& d) { d["sealed"].front() ^= std::byte{1}; }, altered, "was altered");
  refused([](Draft& d) { d["sealed"].back() ^= std::byte{1}; }, altered, "was altered");
  refused([](Draft& d) { d["lock"].back() ^= std::byte{1}; }, altered, "was altered");
  refused([](Draft& d) { d.header.key_id.front() ^= std::byte{1}; }, altered, "was altered");
  refused([](Draft& d) { d.header.test_key = false; }, altered, "was altered");
  const auto malformed = ErrorCode::malformed_file;
  refused([](Draft& d) { d["lock"].front() ^= std::byte{1}; }, malformed, "does not know");
  refused([](Draft& d) { std::swap(d.sections[0], d.sections[1]); }, malformed,
          "the sections are lock, params, sealed, but");
  refused([](Draft& d) { d["lock"].push_back(std::byte{0}); }, malformed, "'lock' has");
  refused([](Draft& d) { d["sealed"].resize(15); }, malformed, "'sealed' has");
  for (const std::uint32_t log_n : {0U, 21U, 31U, 64U, ~0U}) {
    // r = 8 asks for 1 GiB at log_n = 20.
    refused(
        [log_n](Draft& d) {
          put(d["lock"], 32, 4, log_n);
          put(d["lock"], 36, 4, 8);
        },
        malformed, "bytes of work");
  }
  refused([](Draft& d) { d.header.sealed = false; }, malformed,
          "those of this object are params, p, s, x0");
  refused(
      [](Draft& d) {
        d.sections.push_back({"more", Bytes(5)});
      },
      malformed, "the sections are params, lock, sealed, more, but");
}

TEST_CASE("whoever reads a key completes a replacement that was interrupted", "[files]") {
  const TemporaryDirectory directory;
  const std::string end(1, '\0');
  const std::string new_secret = ".secret.0123456789abcdef.tmp";
  const std::string new_public = ".public.0123456789abcdef.tmp";
  for (const bool secret_first : {false, true}) {
    CAPTURE(secret_first);
    save(directory / "public", directory / "secret", keys());
    save(directory / new_public, directory / new_secret, other_keys());
    std::ofstream(directory / ".fhe-pair")
        << "fhe-pair 1\n" + new_secret + end + "secret" + end + new_public + end + "public" + end;
    if (secret_first) {
      CHECK(load_secret_key(directory / "secret").id() == other_keys().public_key.id());
    } else {
      CHECK(summarize(directory / "public").header.key_id == other_keys().public_key.id().digest);
    }
    CHECK(load_public_key(directory / "public").id() == other_keys().public_key.id());
    CHECK(load_secret_key(directory / "secret").id() == other_keys().public_key.id());
    CHECK(directory.size() == 2);
  }
}

TEST_CASE("impossible values in a public key are refused, whoever made the digests fit",
          "[files]") {
  for (const std::string group : {"cmnt-mini", "cmnt-mini-paper"}) {
    CAPTURE(group);
    const ForgedKey key(group);
    const Draft good = key.public_draft();
    key.check_unchanged_accepted();
    const ParameterSet parameters = ParameterSet::named(group);
    const std::size_t element_bytes = parameters.number("gamma", 1, SIZE_MAX >> 1) / 8;
    Draft copy = good;
    const Integer x0 = from_bytes(copy["x0"]);

    const auto refused = [&](std::string_view section, std::size_t offset, const Integer& value,
                             const std::string& part) {
      Draft draft = good;
      put(draft[section], offset, element_bytes, value);
      key.check_public_refused(draft, part);
    };
    for (const std::string section : {"x.0", "x.1"}) {
      for (const std::size_t index : {0U, 2U}) {
        refused(section, index * element_bytes, x0, "not below the modulus");
        refused(section, index * element_bytes, power_of_two(8 * element_bytes) - 1,
                "not below the modulus");
      }
    }
    refused("x0", 0, x0 - 1, "no small factor");
    refused("x0", 0, x0 / 2 | 1, "exactly");
    refused("x0", 0, 1, "exactly");
    refused("x0", 0, 0, "exactly");
  }
}

TEST_CASE("impossible complements of a special modulus are refused", "[files]") {
  const ForgedKey key("cnt-mini-special");
  const Draft good = key.public_draft();
  key.check_unchanged_accepted();
  Draft copy = good;
  const std::size_t bytes = copy["x0.r"].size();
  CHECK(bytes == (576 + 64) / 8);
  const Integer r = from_bytes(copy["x0.r"]);
  for (const Integer& value : {Integer(0), Integer(r - 1), Integer(r + 1)}) {
    Draft draft = good;
    put(draft["x0.r"], 0, bytes, value);
    key.check_public_refused(draft, "no small factor");
  }
  for (const int change : {-1, 1}) {
    Draft draft = good;
    draft["x0.r"].resize(bytes + static_cast<std::size_t>(change));
    key.check_public_refused(draft, "x0.r");
  }
  Draft whole = good;
  for (auto& section : whole.sections) {
    if (section.name == "x0.r") section.name = "x0";
  }
  key.check_public_refused(whole, "x0.r");
  Draft secret = key.secret_draft();
  put(secret["x0.r"], 0, bytes, r + 2);
  key.check_secret_refused(secret, "not an odd multiple of p");
}

TEST_CASE("sections of another length in a public key are refused", "[files]") {
  for (const std::string group : {"cmnt-mini", "cmnt-mini-paper"}) {
    CAPTURE(group);
    const ForgedKey key(group);
    const Draft good = key.public_draft();
    REQUIRE(good.sections.size() == 7);
    for (std::size_t k = 1; k < good.sections.size(); ++k) {
      for (const int change : {-1, 1}) {
        Draft draft = good;
        Bytes& contents = draft.sections[k].contents;
        contents.resize(contents.size() + static_cast<std::size_t>(change));
        key.check_public_refused(draft, good.sections[k].name);
      }
      Draft renamed = good;
      renamed.sections[k].name = "other";
      key.check_public_refused(renamed, good.sections[k].name);
    }
    Draft exchanged = good;
    std::swap(exchanged.sections[4].contents, exchanged.sections[6].contents);
    key.check_public_refused(exchanged, "");
  }
}

TEST_CASE("impossible values in a secret key are refused", "[files]") {
  struct Case {
    std::string group;
    std::vector<std::uint32_t> ends;  // of the boxes that the ones are in
  };
  for (const Case& row :
       {Case{"cmnt-mini", {4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60}},
        Case{"cmnt-mini-paper", {2, 4, 6, 7, 8, 9, 10, 12}}}) {
    CAPTURE(row.group);
    const ForgedKey key(row.group);
    const Draft good = key.secret_draft();
    const auto refused = [&](std::size_t index, std::uint32_t value, const std::string& part) {
      Draft draft = good;
      put(draft["s"], 4 * index, 4, value);
      key.check_secret_refused(draft, part);
    };
    for (const std::uint32_t count : {0U, 7U, 16U, ~0U}) {
      refused(0, count, fmt::format("must have {} ones", row.ends.size()));
    }
    const std::size_t last = row.ends.size() - 1;
    for (const std::size_t k : {std::size_t{0}, std::size_t{4}, last}) {
      refused(k + 1, row.ends[k], "exactly one 1 in each box");
      refused(k + 1, ~0U, "exactly one 1 in each box");
    }
    refused(last + 1, row.ends[last - 1] - 1, "exactly one 1 in each box");
    Draft shifted = good;
    put(shifted["x0"], 0, 8, from_bytes(std::span(shifted["x0"]).first(8)) ^ 2);
    key.check_secret_refused(shifted, "not an odd multiple of p");
    Draft zero = good;
    std::ranges::fill(zero["p"], std::byte{0});
    key.check_secret_refused(zero, "");
  }
}

// Writes the samples that are not frozen yet: of a new scheme or a new version of the format. What
// is frozen is never written again.
TEST_CASE("freeze the samples of the file format", "[.freeze]") {
  create_directories(frozen(""));
  for (const FrozenSample& sample : kFrozenSamples) {
    if (!exists(frozen(sample.prefix + "public.fhe"))) freeze(sample);
    if (sample.prefix == "gh-") continue;  // no compressed ciphertexts
    if (!exists(frozen(sample.prefix + "compressed.fhe"))) freeze_compressed(sample);
  }
}

TEST_CASE("the frozen samples of version 1 are read, decrypt, and are written again", "[files]") {
  for (const FrozenSample& sample : kFrozenSamples) check_frozen(sample);
}

}  // namespace fhe::test
