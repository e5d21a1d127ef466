// SPDX-License-Identifier: Apache-2.0
// CNT: key generation, encryption, the size of public keys, and that no secret is ever drawn from
// a public stream.
#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/scheme/cnt/public_material.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "tests/catch.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

constexpr StreamSeed kPublicSeed{std::byte{1}, std::byte{2}, std::byte{3}};

// The insides of a key made from an explicit public seed and an explicit secret source.
struct RawKey {
  KeyMaterial material;

  [[nodiscard]] const cnt::CntPublicMaterial& open() const {
    return dynamic_cast<const cnt::CntPublicMaterial&>(*material.public_part);
  }
  [[nodiscard]] const dghv::DghvSecretMaterial& secret() const {
    return dynamic_cast<const dghv::DghvSecretMaterial&>(*material.secret_part);
  }
  [[nodiscard]] std::vector<Integer> element_noise() const {
    return residues(public_elements(open()));
  }
  [[nodiscard]] std::vector<Integer> key_bit_noise() const {
    return residues(encrypted_key_bits(open()));
  }

 private:
  [[nodiscard]] std::vector<Integer> residues(std::vector<Integer> values) const {
    for (Integer& value : values) value = centered(value, secret().p());
    return values;
  }
};

RawKey raw_key(const cnt::Parameters& parameters, const StreamSeed& seed, SecretRandom& random) {
  return {cnt::generate_keys(parameters, *open_backend(), seed, random, {})};
}

// How many entries are equal.
std::size_t agreements(const std::vector<Integer>& a, const std::vector<Integer>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] == b[i] ? 1U : 0U;
  return count;
}

Integer noise_of(const KeyPair& keys, const Ciphertext& c) {
  return dghv_part(keys.secret_key).noise(c.value()).value();
}

// Encrypts 60 bits of each value in batches of 1, 2 and 17.
struct Sample {
  std::vector<bool> bits;
  std::vector<Ciphertext> ciphertexts;
};

Sample encrypt_in_batches(const Encryptor& encryptor, const EncryptOptions& options) {
  Sample sample;
  for (int round = 0; round < 6; ++round) {
    for (const std::size_t size : {1U, 2U, 17U}) {
      std::vector<bool> batch;
      for (std::size_t i = 0; i < size; ++i) {
        batch.push_back(sample.bits.size() % 2 != 0);
        sample.bits.push_back(batch.back());
      }
      for (Ciphertext& c : encryptor.encrypt(batch, options)) {
        sample.ciphertexts.push_back(std::move(c));
      }
    }
  }
  return sample;
}

void check_encryptions(const KeyPair& keys, const Sample& sample, double least_noise_bits) {
  const Decryptor decryptor(keys.secret_key);
  REQUIRE(sample.ciphertexts.size() == sample.bits.size());
  std::array<int, 2> halves{};
  for (std::size_t i = 0; i < sample.bits.size(); ++i) {
    const Ciphertext& c = sample.ciphertexts[i];
    const Integer noise = noise_of(keys, c);
    const int bit = sample.bits[i] ? 1 : 0;
    CHECK(mpz_odd_p(noise.get_mpz_t()) == bit);
    CHECK(decryptor.decrypt(c) == sample.bits[i]);
    const double noise_bits = measure_noise(keys.secret_key, c).bits();
    CHECK(noise_bits > least_noise_bits);
    CHECK(noise_bits <= c.noise().bits());
    const Integer half = (noise - bit) / 2;
    ++halves[mpz_odd_p(half.get_mpz_t()) != 0 ? 1 : 0];
  }
  // Odd and even r + sum b_i x_i alike: were the noise not doubled, the odd ones would flip the
  // bit.
  CHECK(halves[0] > 30);
  CHECK(halves[1] > 30);
}

// (2 gamma + (tau + Theta)(eta + lambda)) / 8 bytes.
std::size_t published_key_bits(const cnt::Parameters& p) {
  return 2 * p.gamma + (p.tau + p.Theta) * p.correction_bits();
}

// A group as small as cnt-mini, but with noise and factors of x0 too large to be met by chance.
ParameterSet wide_noise_group() {
  return GroupText("cnt-mini")
      .head("name", "\"wide-noise\"")
      .set("rho", 40)
      .set("eta", 1520)
      .set("alpha", 1440)
      .set("rho_prime", 1480)
      .set("q0_prime_bits", 128)
      .set("tau", 7)
      .parse();
}

const std::vector<StreamPurpose> kPurposes{StreamPurpose::public_elements, StreamPurpose::squash,
                                           StreamPurpose::key_bits, StreamPurpose::switch_squash,
                                           StreamPurpose::switch_bits};

// What uniform_centered(rho) makes of each of the first words of a stream element.
void add_candidates(const IntegerStream& stream, std::size_t index, std::size_t rho,
                    std::vector<Integer>& candidates) {
  constexpr std::size_t kWords = 8;
  std::vector<Limb> words(kWords);
  stream.reader()->read(index, 0, words);
  for (const Limb word : words) {
    const Integer value = low_bits(Integer(word), rho + 1);
    candidates.emplace_back(value - (power_of_two(rho) - 1));
    candidates.emplace_back(value - power_of_two(rho));
    candidates.push_back(low_bits(Integer(word), rho));
  }
}

// Noise as a reader of the public seed would guess it from every public stream.
std::vector<Integer> replayed_candidates(const cnt::CntPublicMaterial& key) {
  constexpr std::size_t kIndices = 80;
  std::vector<Integer> candidates;
  for (const StreamPurpose purpose : kPurposes) {
    const PublicStream stream(key.squashed().seed, purpose, 0, kIndices, 4096);
    for (std::size_t i = 0; i < kIndices; ++i) {
      add_candidates(stream, i, key.parameters().rho, candidates);
    }
  }
  return candidates;
}

// The greatest common divisor of x0 and all products x - factor * candidate: p when one is the
// noise of x, 1 otherwise.
Integer attack(const Integer& x0, const Integer& x, int factor,
               const std::vector<Integer>& candidates) {
  Integer product = 1;
  for (const Integer& candidate : candidates) product = product * (x - factor * candidate) % x0;
  return gcd(product, x0);
}

// Counts the bytes that are drawn, splits included.
class CountingRandom final : public SecretRandom {
 public:
  explicit CountingRandom(std::unique_ptr<SecretRandom> source) : source_(std::move(source)) {}

  void fill(std::span<std::byte> out) override {
    bytes_ += out.size();
    source_->fill(out);
  }
  [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t index) const override {
    return source_->split(index);
  }
  [[nodiscard]] bool is_test() const override { return source_->is_test(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<SecretRandom> source_;
  std::size_t bytes_ = 0;
};

// Published figures of a group too large for the quick tests.
struct LargeGroup {
  std::string name;
  std::size_t key_bytes;
  double fresh_bits;
  double refreshed_bits;
};

void check_large_group(const LargeGroup& group) {
  const KeyPair& keys = test_keys(group.name);
  const TemporaryDirectory directory;
  save(directory / "key", keys.public_key);
  CHECK(std::filesystem::file_size(directory / "key") > group.key_bytes);
  CHECK(std::filesystem::file_size(directory / "key") < group.key_bytes + 8192);

  const Ciphertext c = test_encryptor(keys).encrypt(true);
  const double fresh = measure_noise(keys.secret_key, c).bits();
  CHECK(fresh > group.fresh_bits - 10);
  CHECK(fresh <= c.noise().bits());

  const Ciphertext refreshed = keys.public_key.context(open_backend())->recrypt(c, {});
  CHECK(Decryptor(keys.secret_key).decrypt(refreshed));
  const double noise = measure_noise(keys.secret_key, refreshed).bits();
  CHECK(noise < group.refreshed_bits + 60);
  CHECK(noise <= refreshed.noise().bits());
}

std::string digest_text(const Integer& value) {
  return to_hex(sha256(value.get_str(16)));
}

}  // namespace

TEST_CASE("encrypted key bits decrypt to s with little noise", "[cnt]") {
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    const KeyPair& keys = test_keys(group);
    const cnt::CntPublicMaterial& open = cnt_part(keys.public_key);
    const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
    const std::vector<Integer> sigma = encrypted_key_bits(open);
    REQUIRE(sigma.size() == open.parameters().Theta);
    for (std::size_t i = 0; i < sigma.size(); ++i) {
      const Integer noise = centered(sigma[i], secret.p());
      const auto ones = std::ranges::count(secret.ones(), static_cast<std::uint32_t>(i));
      CHECK(mpz_odd_p(noise.get_mpz_t()) == ones);
      CHECK(bit_length(noise) <= open.parameters().rho + 1);
    }
  }
}

TEST_CASE("public elements have noise below 2^rho of both signs", "[cnt]") {
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    const KeyPair& keys = test_keys(group);
    const cnt::CntPublicMaterial& open = cnt_part(keys.public_key);
    const std::vector<Integer> elements = public_elements(open);
    REQUIRE(elements.size() == open.parameters().tau);
    std::size_t negative = 0;
    for (const Integer& x : elements) {
      const Integer noise = centered(x, dghv_part(keys.secret_key).p());
      CHECK(bit_length(noise) <= open.parameters().rho);
      negative += noise < 0 ? 1U : 0U;
    }
    CHECK(negative > elements.size() / 8);
    CHECK(negative < elements.size() - elements.size() / 8);
  }
}

TEST_CASE("dense encryptions decrypt, with the noise doubled", "[cnt]") {
  const KeyPair& mini = test_keys("cnt-mini");
  check_encryptions(mini, encrypt_in_batches(test_encryptor(mini), {}), 545);
  const KeyPair& toy = test_keys("cnt-toy");
  check_encryptions(toy, encrypt_in_batches(test_encryptor(toy), {}), 945);
}

TEST_CASE("sparse encryptions decrypt, with the noise doubled", "[cnt]") {
  const EncryptOptions sparse{.sparse = true};
  const KeyPair& mini = test_keys("cnt-mini");
  check_encryptions(mini, encrypt_in_batches(test_encryptor(mini), sparse), 545);
  const KeyPair& toy = test_keys("cnt-toy");
  check_encryptions(toy, encrypt_in_batches(test_encryptor(toy), sparse), 945);
}

TEST_CASE("encryption is the formula, drawn in a fixed order", "[cnt]") {
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    const KeyPair& keys = test_keys(group);
    const cnt::CntPublicMaterial& open = cnt_part(keys.public_key);
    const cnt::Parameters& p = open.parameters();
    HedgedRandom source = test_encryption_draws(keys, {true}, "formula");
    BufferedRandom random(source);
    DenseWeights weights(p.tau);
    for (Integer& weight : weights) weight = uniform_bits(random, p.alpha);
    const Integer r = uniform_centered(random, p.rho_prime);
    const std::vector<Integer> x = public_elements(open);
    Integer sum = 1 + 2 * r;
    for (std::size_t i = 0; i < x.size(); ++i) sum += 2 * weights[i] * x[i];
    CHECK(test_encryptor(keys, "formula").encrypt(true).value() ==
          oracle::mod(sum, open.modulus()));
  }
}

TEST_CASE("sparse encryption is the formula, drawn in a fixed order", "[cnt]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const cnt::CntPublicMaterial& open = cnt_part(keys.public_key);
  const cnt::Parameters& p = open.parameters();
  TestRandom source("sparse");
  const auto made =
      keys.public_key.context(open_backend())->encrypt({true}, {.sparse = true}, source, {});
  TestRandom again("sparse");
  BufferedRandom random(again);
  Integer sum = 1;
  for (const Integer& x : public_elements(open)) {
    Integer weight;
    for (const std::uint32_t position :
         distinct_positions(random, cnt::kSparseOnes, static_cast<std::uint32_t>(p.alpha))) {
      weight += power_of_two(position);
    }
    sum += 2 * weight * x;
  }
  sum += 2 * uniform_centered(random, p.rho_prime);
  CHECK(made.front().value() == oracle::mod(sum, open.modulus()));
}

TEST_CASE("an empty batch is empty", "[cnt]") {
  CHECK(test_encryptor(test_keys("cnt-mini")).encrypt(std::vector<bool>{}).empty());
}

TEST_CASE("the bound of a new encryption is the proven one", "[cnt]") {
  struct Row {
    std::string group;
    double worst;
  };
  for (const Row& row : {Row{"cnt-toy", 971}, Row{"cnt-small", 1528}, Row{"cnt-medium", 2085},
                         Row{"cnt-large", 2641}}) {
    const double bound = cnt_parameters(row.group).fresh_noise().bits();
    CHECK(bound <= row.worst);
    CHECK(bound > row.worst - 2);
  }
}

TEST_CASE("noise at cnt-small is the published one", "[cnt]") {
  const KeyPair& keys = test_keys("cnt-small");
  const Encryptor encryptor = test_encryptor(keys);
  const auto key_context = keys.public_key.context(open_backend());
  for (const bool bit : {false, true}) {
    const Ciphertext c = encryptor.encrypt(bit);
    const double fresh = measure_noise(keys.secret_key, c).bits();
    CHECK(fresh > 1511);
    CHECK(fresh <= c.noise().bits());
    const Ciphertext refreshed = key_context->recrypt(c, {});
    const double noise = measure_noise(keys.secret_key, refreshed).bits();
    CHECK(Decryptor(keys.secret_key).decrypt(refreshed) == bit);
    CHECK(noise <= 678 + 50);
    CHECK(noise <= refreshed.noise().bits());
  }
}

TEST_CASE("noise after recryption at cnt-toy is the published one", "[cnt]") {
  const KeyPair& keys = test_keys("cnt-toy");
  const Encryptor encryptor = test_encryptor(keys);
  const auto key_context = keys.public_key.context(open_backend());
  double sum = 0;
  constexpr int kRuns = 20;
  for (int i = 0; i < kRuns; ++i) {
    const Ciphertext refreshed = key_context->recrypt(encryptor.encrypt(i % 2 != 0), {});
    const double noise = measure_noise(keys.secret_key, refreshed).bits();
    CHECK(Decryptor(keys.secret_key).decrypt(refreshed) == (i % 2 != 0));
    CHECK(noise <= 475);
    CHECK(noise <= refreshed.noise().bits());
    sum += noise;
  }
  CHECK(sum / kRuns < 439 + 15);
}

TEST_CASE("the published key size is the formula to the byte", "[cnt]") {
  CHECK(published_key_bits(cnt_parameters("cnt-toy")) / 8 == 76519);
  CHECK(published_key_bits(cnt_parameters("cnt-small")) / 8 == 437567);
  CHECK(published_key_bits(cnt_parameters("cnt-medium")) / 8 == 2207241);
  CHECK(published_key_bits(cnt_parameters("cnt-large")) / 8 == 10303797);
}

TEST_CASE("a public key file is its published size and the stated header", "[cnt]") {
  const TemporaryDirectory directory;
  for (const std::string group : {"cnt-mini", "cnt-toy", "cnt-small"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const cnt::Parameters p = cnt_parameters(group);
    save(directory / group, keys.public_key);
    const std::size_t contents = bytes_for_bits(p.gamma) + bytes_for_bits(p.kappa + 1) +
                                 bytes_for_bits(p.tau * p.correction_bits()) +
                                 bytes_for_bits(p.Theta * p.correction_bits());
    const std::size_t header = 168 + 48 * 6 + 32 + keys.public_key.parameters().to_toml().size();
    CHECK(std::filesystem::file_size(directory / group) == header + contents);
    const std::size_t published = published_key_bits(p) + (p.kappa + 1 - p.gamma);
    CHECK(8 * contents >= published);
    CHECK(8 * contents < published + 4 * 8);
  }
}

TEST_CASE("a test seed makes the same keys, another seed others", "[cnt]") {
  const KeyGenerator generator(ParameterSet::named("cnt-mini"));
  const KeyPair first = generator.generate(TestSeed{"one"});
  const KeyPair again = generator.generate(TestSeed{"one"});
  const KeyPair other = generator.generate(TestSeed{"two"});
  CHECK(first.public_key.id() == again.public_key.id());
  CHECK(dghv_part(first.secret_key).p() == dghv_part(again.secret_key).p());
  CHECK(std::ranges::equal(dghv_part(first.secret_key).ones(), dghv_part(again.secret_key).ones()));
  CHECK(cnt_part(first.public_key).delta() == cnt_part(again.public_key).delta());
  CHECK(first.public_key.id() != other.public_key.id());
  CHECK(dghv_part(first.secret_key).p() != dghv_part(other.secret_key).p());
  CHECK(first.public_key.modulus() != other.public_key.modulus());
  CHECK(cnt_part(first.public_key).squashed().seed != cnt_part(other.public_key).squashed().seed);
}

TEST_CASE("keys from the system's randomness all differ, however fast they are made", "[cnt]") {
  const KeyGenerator generator(ParameterSet::named("cnt-mini"));
  std::set<Digest> ids;
  std::set<StreamSeed> seeds;
  std::set<Integer> primes;
  for (int i = 0; i < 8; ++i) {
    const KeyPair keys = generator.generate();
    CHECK_FALSE(keys.public_key.id().test_key);
    ids.insert(keys.public_key.id().digest);
    seeds.insert(cnt_part(keys.public_key).squashed().seed);
    primes.insert(dghv_part(keys.secret_key).p());
  }
  CHECK(ids.size() == 8);
  CHECK(seeds.size() == 8);
  CHECK(primes.size() == 8);
}

TEST_CASE("forked processes make different keys and ciphertexts", "[cnt]") {
  const KeyGenerator generator(ParameterSet::named("cnt-mini"));
  // Both generators have been used before the fork, so an unaware one would go on alike.
  const KeyPair shared = generator.generate();
  const Encryptor encryptor(shared.public_key);
  const Ciphertext before = encryptor.encrypt(true);
  const auto key_in_child = [&] {
    return in_child([&] { return to_hex(generator.generate().public_key.id().digest); });
  };
  const auto ciphertext_in_child = [&] {
    return in_child([&] { return digest_text(encryptor.encrypt(true).value()); });
  };
  const std::set<std::string> ids{key_in_child(), key_in_child(),
                                  to_hex(generator.generate().public_key.id().digest),
                                  to_hex(shared.public_key.id().digest)};
  CHECK(ids.size() == 4);
  const std::set<std::string> ciphertexts{ciphertext_in_child(), ciphertext_in_child(),
                                          digest_text(before.value()),
                                          digest_text(encryptor.encrypt(true).value())};
  CHECK(ciphertexts.size() == 4);
}

TEST_CASE("encryptions of one bit are all distinct", "[cnt]") {
  const KeyPair& keys = test_keys("cnt-mini");
  constexpr std::size_t kCount = 1000;
  const Encryptor encryptor(keys.public_key);
  std::set<Integer> values;
  for (const EncryptOptions options : {EncryptOptions{}, EncryptOptions{.sparse = true}}) {
    for (const Ciphertext& c : encryptor.encrypt(std::vector<bool>(kCount, true), options)) {
      values.insert(c.value());
    }
  }
  CHECK(values.size() == 2 * kCount);
}

TEST_CASE("one public seed and two secret sources: no secret is shared", "[cnt]") {
  const cnt::Parameters parameters = cnt_parameters("cnt-toy");
  TestRandom first_random("first");
  TestRandom second_random("second");
  const RawKey first = raw_key(parameters, kPublicSeed, first_random);
  const RawKey second = raw_key(parameters, kPublicSeed, second_random);
  CHECK(first.open().squashed().seed == second.open().squashed().seed);
  CHECK(first.secret().p() != second.secret().p());
  CHECK(gcd(first.open().modulus(), second.open().modulus()) == 1);
  CHECK_FALSE(std::ranges::equal(first.secret().ones(), second.secret().ones()));
  CHECK(first.open().squashed().solved != second.open().squashed().solved);
  CHECK(agreements(first.open().delta(), second.open().delta()) == 0);
  CHECK(agreements(first.open().squashed().sigma, second.open().squashed().sigma) == 0);
  CHECK(agreements(first.element_noise(), second.element_noise()) == 0);
  CHECK(agreements(first.key_bit_noise(), second.key_bit_noise()) == 0);
}

TEST_CASE("two public seeds and one secret source: the secrets stay what they are", "[cnt]") {
  const cnt::Parameters parameters = cnt_parameters("cnt-toy");
  TestRandom random("same");
  TestRandom same_random("same");
  const RawKey first = raw_key(parameters, kPublicSeed, random);
  const RawKey second = raw_key(parameters, StreamSeed{}, same_random);
  CHECK(first.secret().p() == second.secret().p());
  CHECK(first.open().modulus() == second.open().modulus());
  CHECK(std::ranges::equal(first.secret().ones(), second.secret().ones()));
  CHECK(first.element_noise() == second.element_noise());
  CHECK(first.key_bit_noise() == second.key_bit_noise());
  CHECK(agreements(first.open().delta(), second.open().delta()) == 0);
}

// The reference program drew the r_i from the generator that the public seed had just seeded:
// whoever replayed the seed read them, and gcd(x0, x_i - r_i) was p.
TEST_CASE("replaying the public seed does not give the noise of the key away", "[cnt]") {
  const KeyPair keys = KeyGenerator(wide_noise_group()).generate();
  const cnt::CntPublicMaterial& open = cnt_part(keys.public_key);
  const Integer& p = dghv_part(keys.secret_key).p();
  std::vector<Integer> candidates = replayed_candidates(open);
  for (const Integer& x : public_elements(open)) {
    CHECK(attack(open.modulus(), x, 1, candidates) == 1);
  }
  CHECK(attack(open.modulus(), encrypted_key_bits(open)[1], 2, candidates) == 1);

  // The attack is able: with the right candidate among the others it finds p.
  const Integer x = public_elements(open)[0];
  candidates.push_back(centered(x, p));
  CHECK(attack(open.modulus(), x, 1, candidates) == p);
}

TEST_CASE("an encryption draws fresh secrets, also after a recryption", "[cnt]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const auto random = std::make_shared<CountingRandom>(std::make_unique<TestRandom>("spy"));
  const Encryptor encryptor(keys.public_key, open_backend(), random);
  constexpr std::size_t kLeast = 32;  // bytes, from which HedgedRandom makes the rest

  const Ciphertext before = encryptor.encrypt(true);
  const std::size_t drawn_before = random->bytes();
  CHECK(drawn_before >= kLeast);
  const Ciphertext refreshed = keys.public_key.context(open_backend())->recrypt(before, {});
  CHECK(random->bytes() == drawn_before);
  const Ciphertext after = encryptor.encrypt(true);
  CHECK(random->bytes() - drawn_before >= kLeast);
  CHECK(after.value() != before.value());
  CHECK(after.value() != refreshed.value());
}

TEST_CASE("a sparse encryption draws fresh positions and noise", "[cnt]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const cnt::Parameters& p = cnt_part(keys.public_key).parameters();
  CountingRandom random(std::make_unique<TestRandom>("spy"));
  const auto key = keys.public_key.context(open_backend());
  for (std::size_t calls = 1; calls <= 3; ++calls) {
    static_cast<void>(key->encrypt({true}, {.sparse = true}, random, {}));
    CHECK(random.bytes() >=
          calls * (cnt::kSparseOnes * p.tau * sizeof(std::uint32_t) + p.rho_prime / 8));
  }
}

TEST_CASE("a failing source of randomness produces nothing", "[cnt]") {
  struct FailingRandom final : SecretRandom {
    void fill(std::span<std::byte>) override { throw Error(ErrorCode::randomness, "broken"); }
    [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t) const override {
      return std::make_unique<FailingRandom>();
    }
    [[nodiscard]] bool is_test() const override { return false; }
  };
  const KeyPair& keys = test_keys("cnt-mini");
  const Encryptor encryptor(keys.public_key, open_backend(), std::make_shared<FailingRandom>());
  CHECK_THROWS_AS(encryptor.encrypt(true), Error);
  CHECK_THROWS_AS(encryptor.encrypt(true, {.sparse = true}), Error);
  FailingRandom random;
  CHECK_THROWS_AS(raw_key(cnt_parameters("cnt-mini"), kPublicSeed, random), Error);
}

TEST_CASE("keys, ciphertexts and recryptions do not depend on the number of threads", "[cnt]") {
  const auto run = [](std::size_t threads) {
    const ThreadLimit limit(threads);
    const KeyPair keys = KeyGenerator(ParameterSet::named("cnt-toy")).generate(TestSeed{"threads"});
    const Encryptor encryptor = test_encryptor(keys);
    std::vector<Ciphertext> made = encryptor.encrypt({true, false, true});
    made.push_back(encryptor.encrypt(true, {.sparse = true}));
    made.push_back(keys.public_key.context(open_backend())->recrypt(made.front(), {}));
    std::string text = to_hex(keys.public_key.id().digest);
    for (const Ciphertext& c : made) text += '\n' + digest_text(c.value());
    return text;
  };
  const std::string alone = run(1);
  CHECK(run(2) == alone);
  CHECK(run(3) == alone);
}

TEST_CASE("key size and noise at cnt-medium are the published ones", "[cnt][long]") {
  check_large_group({"cnt-medium", 2207241, 2076, 917});
}

TEST_CASE("key size and noise at cnt-large are the published ones", "[cnt][long]") {
  check_large_group({"cnt-large", 10303797, 2632, 1165});
}

}  // namespace fhe::test
