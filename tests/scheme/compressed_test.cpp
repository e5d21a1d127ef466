// SPDX-License-Identifier: Apache-2.0
// Encryption by the owner of the key: what is encrypted, with how much noise, what it shows, and
// its files.
#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/compressed_ciphertexts.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/container_draft.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

std::vector<bool> bits_of(std::size_t count) {
  std::vector<bool> bits(count);
  for (std::size_t i = 0; i < count; ++i) bits[i] = (i * i + i / 3) % 3 == 0;
  return bits;
}

SecretEncryptor owner(const KeyPair& keys, const std::string& seed = "owner") {
  return {keys.secret_key, open_backend(), std::make_shared<TestRandom>(seed)};
}

// e_i = chi_i - delta_i mod p, centred.
std::vector<Integer> noise_of(const CompressedCiphertexts& compressed, const KeyPair& keys) {
  const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
  const PublicStream chi(compressed.seed(), StreamPurpose::ciphertexts, 0, compressed.size(),
                         secret.parameters().gamma);
  std::vector<Integer> noise;
  for (std::size_t i = 0; i < compressed.size(); ++i) {
    noise.push_back(centered(chi.element(i) - compressed.corrections()[i], secret.p()));
  }
  return noise;
}

void check_encryptions_of(const std::string& group, std::size_t count) {
  CAPTURE(group);
  const KeyPair& keys = test_keys(group);
  const dghv::Parameters& parameters = dghv_part(keys.secret_key).parameters();
  const std::vector<bool> bits = bits_of(count);
  const CompressedCiphertexts compressed = owner(keys).encrypt(bits);
  REQUIRE(compressed.size() == count);
  CHECK(compressed.key() == keys.public_key.id());
  CHECK(compressed.noise().bits() == static_cast<double>(parameters.rho + 1));

  const std::vector<Integer> noise = noise_of(compressed, keys);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK((mpz_odd_p(noise[i].get_mpz_t()) != 0) == bits[i]);
    CHECK(bit_length(noise[i]) <= parameters.rho + 1);
  }
  const std::vector<Ciphertext> whole = expand(compressed, keys.public_key);
  CHECK(Decryptor(keys.secret_key).decrypt(whole) == bits);
  for (const Ciphertext& c : whole) {
    CHECK(c.noise() == compressed.noise());
    CHECK(measure_noise(keys.secret_key, c) <= c.noise());
    CHECK(bit_length(c.value()) > parameters.gamma - 64);
  }
  const std::vector<Ciphertext> by_owner = expand(compressed, keys.secret_key);
  for (std::size_t i = 0; i < count; ++i) CHECK(by_owner[i].value() == whole[i].value());
}

}  // namespace

TEST_CASE("the owner's encryptions decrypt, with the noise of the public elements", "[owner]") {
  for (const std::string group : {"cnt-mini", "cmnt-mini", "cmnt-mini-paper"}) {
    check_encryptions_of(group, 100);
  }
  for (const std::string group : {"cnt-toy", "cmnt-toy", "cnt-small"})
    check_encryptions_of(group, 20);
}

TEST_CASE("the owner's encryptions are the same on every backend", "[owner]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const CompressedCiphertexts expected = owner(keys).encrypt(bits_of(9));
  for (const BackendPtr& backend : backends_under_test()) {
    CAPTURE(backend->info().name);
    const SecretEncryptor encryptor(keys.secret_key, backend,
                                    std::make_shared<TestRandom>("owner"));
    CHECK(encryptor.encrypt(bits_of(9)).corrections() == expected.corrections());
  }
}

TEST_CASE("the owner's encryptions are computed with as others are", "[owner]") {
  const KeyPair& keys = test_keys("cnt-toy");
  const Evaluator evaluator(keys.public_key);
  const Decryptor decryptor(keys.secret_key);
  const std::vector<Ciphertext> own = expand(owner(keys).encrypt({true, false}), keys.public_key);
  const Ciphertext other = test_encryptor(keys).encrypt(true);
  CHECK(decryptor.decrypt(evaluator.and_gate(own[0], other)));
  CHECK(decryptor.decrypt(evaluator.xor_gate(own[1], other)));
  CHECK_FALSE(decryptor.decrypt(evaluator.recrypt(own[1])));
  CHECK(decryptor.decrypt(evaluator.recrypt(own[0])));
}

TEST_CASE("the owner's encryptions allow 34 products before a recryption", "[owner]") {
  const KeyPair& keys = test_keys("cnt-toy");
  const Evaluator evaluator(keys.public_key, open_backend(), RefreshPolicy::never());
  constexpr std::size_t kFactors = 35;
  const std::vector<Ciphertext> ones =
      expand(owner(keys).encrypt(std::vector<bool>(kFactors, true)), keys.public_key);
  Ciphertext product = ones.front();
  for (std::size_t i = 1; i < kFactors; ++i) product = evaluator.and_gate(product, ones[i]);
  CHECK(product.noise() <= evaluator.key().noise_rule().refresh_limit);
  CHECK(Decryptor(keys.secret_key).decrypt(product));
  CHECK(evaluator.counts().recryptions == 0);
}

TEST_CASE("corrections do not show chi mod p", "[owner]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
  const dghv::Parameters& parameters = secret.parameters();
  const CompressedCiphertexts compressed = owner(keys).encrypt(bits_of(2000));
  // Uniform in [0, 2^(lambda+eta)) as far as can be seen: halves by their leading bit, and no
  // multiple of p that is missing or preferred.
  const Integer half = power_of_two(parameters.correction_bits() - 1);
  const auto high = std::ranges::count_if(compressed.corrections(),
                                          [&](const Integer& delta) { return delta >= half; });
  CHECK(high > 800);
  CHECK(high < 1200);
  const Integer multiples = 2 * half / secret.p();
  Integer sum;
  for (const Integer& delta : compressed.corrections()) {
    CHECK(delta >= 0);
    CHECK(delta < 2 * half);
    sum += delta / secret.p();
  }
  CHECK(abs(sum / 2000 - multiples / 2) < multiples / 20);
}

TEST_CASE("no two encryptions by the owner share seed or noise", "[owner]") {
  const KeyPair& keys = test_keys("cnt-mini");
  // The same source on other bits, as in a machine that is restored: nothing repeats.
  const CompressedCiphertexts one = owner(keys).encrypt({true, false, true});
  const CompressedCiphertexts other = owner(keys).encrypt({true, true, true});
  CHECK(one.seed() != other.seed());
  const std::vector<Integer> noise = noise_of(one, keys);
  const std::vector<Integer> other_noise = noise_of(other, keys);
  for (std::size_t i = 0; i < noise.size(); ++i) CHECK(abs(noise[i] - other_noise[i]) > 1);
  // Nor under another key.
  CHECK(owner(test_keys("cnt-mini", "another")).encrypt({true, false, true}).seed() != one.seed());
  // What is the same in all is the same, and shows no more than that.
  CHECK(owner(keys).encrypt({true, false, true}).corrections() == one.corrections());
  // The system's source.
  const SecretEncryptor encryptor(keys.secret_key);
  std::set<StreamSeed> seeds;
  for (int i = 0; i < 100; ++i) seeds.insert(encryptor.encrypt({true}).seed());
  CHECK(seeds.size() == 100);
}

TEST_CASE("who is no owner of such a key is refused", "[owner]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const KeyPair& gh = test_keys("gh-mini");
  CHECK_THROWS_MATCHES(owner(gh).encrypt({true}), Error,
                       HasCode(ErrorCode::unsupported, "encrypt with the public key"));
  const CompressedCiphertexts compressed = owner(keys).encrypt({true, false});
  CHECK_THROWS_MATCHES(expand(compressed, test_keys("cnt-mini", "another").public_key), Error,
                       HasCode(ErrorCode::wrong_key, "compressed"));
  CHECK_THROWS_MATCHES(expand(compressed, gh.secret_key), Error, HasCode(ErrorCode::wrong_key));
  const CompressedCiphertexts of_gh({}, {1}, {}, gh.public_key.id());
  CHECK_THROWS_MATCHES(expand(of_gh, gh.public_key), Error, HasCode(ErrorCode::unsupported));
  const KeyPair real = KeyGenerator(ParameterSet::named("cnt-mini")).generate();
  CHECK_THROWS_MATCHES(owner(real), Error, HasCode(ErrorCode::invalid_argument, "TestSeed"));
}

TEST_CASE("altered compressed ciphertexts are refused as others are", "[owner]") {
  const KeyPair& keys = test_keys("cnt-toy");
  const dghv::Parameters& parameters = dghv_part(keys.secret_key).parameters();
  const Decryptor decryptor(keys.secret_key);
  const CompressedCiphertexts good = owner(keys).encrypt({true});
  const auto with = [&](const Integer& correction) {
    return CompressedCiphertexts(good.seed(), {correction}, good.noise(), good.key());
  };
  const Integer delta = good.corrections().front();
  for (const std::size_t bit : {parameters.rho + 10, parameters.eta - 2, parameters.eta + 20}) {
    const Ciphertext altered = expand(with(delta ^ power_of_two(bit)), keys.public_key).front();
    CHECK_THROWS_MATCHES(decryptor.decrypt(altered), Error, HasCode(ErrorCode::noise_exceeded));
  }
  const Integer limit = power_of_two(parameters.correction_bits());
  for (const Integer& outside : {Integer(-1), limit, Integer(limit * limit)}) {
    CHECK_THROWS_MATCHES(expand(with(outside), keys.public_key), Error,
                         HasCode(ErrorCode::invalid_argument, "compressed ciphertext 0"));
  }
  // Corrections that make the value negative or leave it above the modulus are those of a whole
  // ciphertext all the same.
  for (const Integer& extreme : {Integer(0), Integer(limit - 1)}) {
    const Ciphertext c = expand(with(extreme), keys.public_key).front();
    CHECK(c.value() >= 0);
    CHECK(c.value() < keys.public_key.modulus());
  }
}

TEST_CASE("encryption by the owner stops when asked to", "[owner]") {
  const KeyPair& keys = test_keys("cnt-toy");
  const CompressedCiphertexts compressed = owner(keys).encrypt(bits_of(50));
  CHECK_THROWS_MATCHES(owner(keys).encrypt(bits_of(50), stopped_monitor()), Error,
                       HasCode(ErrorCode::stopped));
  CHECK_THROWS_MATCHES(expand(compressed, keys.public_key, stopped_monitor()), Error,
                       HasCode(ErrorCode::stopped));
  CHECK(owner(keys).encrypt({}).size() == 0);
}

TEST_CASE("compressed ciphertexts come back from their file, compressed or whole", "[owner]") {
  const TemporaryDirectory folder;
  for (const std::string group : {"cnt-toy", "cmnt-mini"}) {
    const KeyPair& keys = test_keys(group);
    const CompressedCiphertexts compressed = owner(keys).encrypt(bits_of(11));
    const auto path = folder / group;
    save(path, compressed, keys.secret_key);
    const std::size_t bits = dghv_part(keys.secret_key).parameters().correction_bits();
    CHECK(file_size(path) == container_bytes(2, 60 + bytes_for_bits(11 * bits)));

    const CompressedCiphertexts read = load_compressed_ciphertexts(path, keys.public_key);
    CHECK(read.seed() == compressed.seed());
    CHECK(read.corrections() == compressed.corrections());
    CHECK(read.noise() == compressed.noise());
    CHECK(read.key() == compressed.key());
    CHECK(Decryptor(keys.secret_key).decrypt(load_ciphertexts(path, keys.public_key)) ==
          bits_of(11));
    CHECK(Decryptor(keys.secret_key).decrypt(load_ciphertexts(path, keys.secret_key)) ==
          bits_of(11));

    const FileSummary summary = summarize(path);
    CHECK(summary.compressed);
    CHECK(summary.noise == std::vector<NoiseBound>(11, compressed.noise()));
    save(folder / "again", read, keys.public_key);
    CHECK(read_file(folder / "again") == read_file(path));
  }
  const KeyPair& keys = test_keys("cnt-toy");
  save(folder / "whole", test_encryptor(keys).encrypt(bits_of(2)), keys.public_key);
  CHECK_FALSE(summarize(folder / "whole").compressed);
  CHECK_THROWS_MATCHES(load_compressed_ciphertexts(folder / "whole", keys.public_key), Error,
                       HasCode(ErrorCode::invalid_argument, "whole ciphertexts"));
  CHECK_THROWS_MATCHES(load_ciphertexts(folder / "cnt-toy", test_keys("cnt-mini").public_key),
                       Error, HasCode(ErrorCode::wrong_key));
}

TEST_CASE("compressed files are held to the limits of what they expand to", "[owner]") {
  const TemporaryDirectory folder;
  const KeyPair& keys = test_keys("cnt-toy");
  const auto path = folder / "c";
  const CompressedCiphertexts compressed = owner(keys).encrypt(bits_of(11));
  save(path, compressed, keys.secret_key);
  save(folder / "whole", expand(compressed, keys.public_key), keys.public_key);
  const ReadLimits enough{.max_file_bytes = file_size(folder / "whole"), .max_ciphertexts = 11};
  CHECK(load_ciphertexts(path, keys.public_key, enough).size() == 11);
  save(folder / "written", compressed, keys.secret_key, enough);
  for (const ReadLimits& less :
       {ReadLimits{.max_file_bytes = enough.max_file_bytes - 1, .max_ciphertexts = 11},
        ReadLimits{.max_file_bytes = enough.max_file_bytes, .max_ciphertexts = 10}}) {
    const auto refused = HasCode(ErrorCode::invalid_argument, "--max-");
    CHECK_THROWS_MATCHES(load_ciphertexts(path, keys.public_key, less), Error, refused);
    CHECK_THROWS_MATCHES(save(folder / "no", compressed, keys.secret_key, less), Error, refused);
  }
  CHECK_THROWS_MATCHES(save(folder / "no", owner(keys).encrypt({}), keys.secret_key), Error,
                       HasCode(ErrorCode::invalid_argument, "at least one"));
  CHECK_THROWS_MATCHES(save(folder / "no", compressed, test_keys("cnt-mini").secret_key), Error,
                       HasCode(ErrorCode::wrong_key));
  CHECK_FALSE(exists(folder / "no"));
}

TEST_CASE("forged numbers in compressed files are refused", "[owner]") {
  const TemporaryDirectory folder;
  const auto path = folder / "c";
  const KeyPair& keys = test_keys("cnt-mini");
  save(path, owner(keys).encrypt(bits_of(3)), keys.secret_key);
  const Draft good(path);
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const ReadLimits none{.max_file_bytes = kMax, .max_ciphertexts = kMax};
  const auto put = [](std::vector<std::byte>& bytes, std::size_t at, std::uint64_t value,
                      std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<std::byte>(value >> 8 * i);
  };
  const auto refused = [&](const Draft& draft, bool without_key = true) {
    draft.write(path);
    const auto malformed = HasCode(ErrorCode::malformed_file, path.string());
    for (const ReadLimits& limits : {ReadLimits(), none}) {
      CHECK_THROWS_AS(load_ciphertexts(path, keys.public_key, limits), Error);
      CHECK_THROWS_AS(load_compressed_ciphertexts(path, keys.secret_key, limits), Error);
      if (without_key) CHECK_THROWS_AS(summarize(path, limits), Error);
    }
    CHECK_THROWS_MATCHES(load_ciphertexts(path, keys.public_key, none), Error, malformed);
  };
  const auto with_number = [&](std::size_t at, std::uint64_t value, std::size_t width = 8) {
    Draft draft = good;
    put(draft["seeded"], at, value, width);
    return draft;
  };
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{4},
                                    std::uint64_t{1} << 40, kMax / 8, kMax}) {
    CAPTURE(count);
    refused(with_number(0, count));
  }
  for (const std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{1}, kMax}) {
    CAPTURE(bits);
    refused(with_number(8, bits), false);
    refused(with_number(16, bits));
  }
  refused(with_number(24, (1U << 31) + 1, 4));
  refused(with_number(28, 'b', 1));  // another generator
  Draft longer = good;
  longer["delta"].push_back({});
  refused(longer);
  Draft unused_bits = good;
  unused_bits["delta"].back() |= std::byte{0x80};
  const std::size_t bits = dghv_part(keys.secret_key).parameters().correction_bits();
  if (3 * bits % 8 != 0) refused(unused_bits, false);
  Draft mixed = good;
  mixed.sections[1].name = "values";
  refused(mixed);
  good.write(path);
  CHECK(load_ciphertexts(path, keys.public_key).size() == 3);

  // Of a scheme that has no such files.
  const KeyPair& gh = test_keys("gh-mini");
  save(path, test_encryptor(gh).encrypt(bits_of(3)), gh.public_key);
  Draft of_gh(path);
  of_gh.sections = good.sections;
  of_gh.write(path);
  CHECK_THROWS_MATCHES(load_ciphertexts(path, gh.public_key), Error,
                       HasCode(ErrorCode::malformed_file, "no compressed"));
}

TEST_CASE("a compressed ciphertext below its correction is taken modulo the modulus", "[owner]") {
  constexpr CompressedForm kForm{.element_bits = 64, .correction_bits = 64};
  const Integer modulus = power_of_two(64) - 59;
  const Integer correction = power_of_two(64) - 1;
  const CompressedCiphertexts compressed(StreamSeed{}, {correction}, NoiseBound(), KeyId{});
  const Integer chi =
      PublicStream(compressed.seed(), StreamPurpose::ciphertexts, 0, 1, kForm.element_bits)
          .element(0);
  REQUIRE(chi < correction);
  CHECK(compressed.expand(kForm, modulus, {}).front().value() == chi - correction + modulus);
}

}  // namespace fhe::test
