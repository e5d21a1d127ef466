// SPDX-License-Identifier: Apache-2.0
// The laboratory of attacks, method by method: the right secret, no false one, and no crash where
// an attack must fail.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/attack/attacks.hpp"
#include "apps/attack/published.hpp"
#include "apps/attack/relation_lattice.hpp"
#include "libfhe/scheme/security.hpp"
#include "tests/attack/planted.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::attack {

namespace {

KeyPair lab_keys(const ParameterSet& group) {
  return KeyGenerator(group).generate(TestSeed{"laboratory"});
}

KeyPair lab_keys(const std::string& group) {
  return lab_keys(ParameterSet::named(group));
}

// GH with so short a squashed key and so little noise that halves of both are searched at once.
ParameterSet small_ideal_group() {
  return test::GroupText("gh-mini")
      .head("name", "\"gh-lab\"")
      .set("S", 4)
      .set("c", 4)
      .set("h", 5)
      .parse();
}

// CNT with little noise beside weights that are hardly longer than a lattice can find.
ParameterSet sparse_group(std::size_t alpha) {
  return test::GroupText("cnt-mini")
      .head("name", "\"cnt-lab\"")
      .set("alpha", alpha)
      .set("rho_prime", 24)
      .parse();
}

std::vector<Integer> sparse_ciphertexts(const KeyPair& keys, const std::vector<bool>& bits) {
  const Encryptor encryptor(keys.public_key, open_backend(),
                            std::make_shared<TestRandom>("sparse"));
  std::vector<Integer> values;
  for (const Ciphertext& c : encryptor.encrypt(bits, {.sparse = true})) values.push_back(c.value());
  return values;
}

std::vector<Integer> sorted(std::vector<Integer> numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

void check_finds(const Finding& finding, const std::vector<Integer>& primes) {
  CHECK(sorted(finding.primes) == sorted(primes));
  CHECK_FALSE(finding.steps.empty());
  CHECK(finding.seconds() >= 0);
}

}  // namespace

TEST_CASE("relations are reduced, and are relations", "[attack]") {
  Draw draw;
  RelationLattice::Numbers numbers{.x = {}, .modulus = draw.odd(600)};
  for (int i = 0; i < 9; ++i) numbers.x.push_back(draw.bits(600));
  RelationLattice lattice({numbers});
  CHECK(lattice.dimension() == 10);
  lattice.reduce(100);
  for (const Relation& row : lattice.rows()) {
    Integer sum = -row.v.front();
    for (std::size_t i = 0; i < 9; ++i) sum += row.u[i] * numbers.x[i];
    CHECK(sum % numbers.modulus == 0);
    // 500 bits in ten dimensions; LLL is within 1.02^10 of that, and chance within some bits.
    for (const Integer& u : row.u) CHECK(bit_length(u) <= 55);
    CHECK(bit_length(row.v.front()) <= 155);
  }
  const auto exact = lattice.exact_relations(9, 72);
  REQUIRE(exact.size() == 9);
  for (const std::vector<Integer>& u : exact) {
    Integer sum = 0;
    for (std::size_t i = 0; i < 9; ++i) sum += u[i] * numbers.x[i];
    CHECK(sum % numbers.modulus == 0);
    CHECK(std::ranges::all_of(u, [](const Integer& x) { return bit_length(x) <= 72; }));
  }
}

TEST_CASE("a search for the noise finds the primes", "[attack]") {
  for (const double slots : {1.0, 3.0}) {
    CAPTURE(slots);
    const Planted key = planted({.rho = 7, .eta = 80, .gamma = 600, .slots = slots}, 5);
    check_finds(exhaustive_noise_search(key.samples), key.primes);
    check_finds(noise_search(key.samples), key.primes);
    Planted secret = key;
    secret.samples.modulus = 0;
    check_finds(noise_search(secret.samples), key.primes);
  }
}

TEST_CASE("a search for the noise goes on where two slots have one residue", "[attack]") {
  Planted key = planted({.rho = 7, .eta = 80, .gamma = 600, .slots = 3}, 5);
  key.samples.x.insert(key.samples.x.begin(), Integer(5));  // in all slots
  CHECK(noise_search(key.samples).primes.empty());
  // 5 in two of the slots, and 7 in the third.
  const Integer two = key.primes[0] * key.primes[1];
  Integer inverse;
  mpz_invert(inverse.get_mpz_t(), two.get_mpz_t(), key.primes[2].get_mpz_t());
  key.samples.x.front() = 5 + 2 * two * inverse;
  check_finds(noise_search(key.samples), key.primes);
}

TEST_CASE("a search for the noise finds nothing where there is more of it", "[attack]") {
  Planted key = planted({.rho = 40, .eta = 80, .gamma = 600}, 5);
  CHECK_THROWS_MATCHES(noise_search(key.samples), Error,
                       test::HasCode(ErrorCode::invalid_argument, "at most 32 bits"));
  CHECK_THROWS_MATCHES(exhaustive_noise_search(key.samples), Error,
                       test::HasCode(ErrorCode::invalid_argument, "at most 24 bits"));
  key.samples.rho = 7;  // a lie
  CHECK(noise_search(key.samples).primes.empty());
  CHECK(exhaustive_noise_search(key.samples).primes.empty());
  key.samples.modulus = 0;
  CHECK(noise_search(key.samples).primes.empty());
}

TEST_CASE("the orthogonal lattice finds the primes of all slots, with and without x0", "[attack]") {
  for (const double slots : {1.0, 4.0, 8.0}) {
    for (const bool published : {true, false}) {
      CAPTURE(slots, published);
      const security::ApproximateGcd sizes{
          .rho = 8, .eta = 96, .gamma = 1200, .slots = slots, .modulus_public = published};
      const Planted key = planted(sizes, 40);
      const double model = security::orthogonal_lattice(sizes).dimension;
      const Finding finding =
          smallest_orthogonal_lattice(key.samples, static_cast<std::size_t>(model) - 3, 40);
      check_finds(finding, key.primes);
      // Each step nearer to the model's dimension is possible, or not needed.
      CHECK(std::abs(static_cast<double>(finding.samples) - model) <= 4);
    }
  }
}

TEST_CASE("the orthogonal lattice tells slots with long noise apart", "[attack]") {
  const Planted key = planted({.rho = 20, .eta = 240, .gamma = 2400, .slots = 3}, 16);
  check_finds(orthogonal_lattice(key.samples, 16), key.primes);
}

TEST_CASE("the orthogonal lattice finds nothing in long samples", "[attack]") {
  const Planted key = planted({.rho = 30, .eta = 50, .gamma = 8000}, 40);
  CHECK(orthogonal_lattice(key.samples, 40).primes.empty());
  CHECK(smallest_orthogonal_lattice(key.samples, 3, 12).primes.empty());
  CHECK_THROWS_MATCHES(orthogonal_lattice(key.samples, 41), Error,
                       test::HasCode(ErrorCode::invalid_argument, "3 to 40 samples"));
}

TEST_CASE("attacks on the keys of mini groups find their primes", "[attack]") {
  for (const std::string group : {"cnt-mini", "cnt-mini-special", "bdghv-mini", "cmnt-mini"}) {
    CAPTURE(group);
    const KeyPair keys = lab_keys(group);
    const std::vector<Integer> primes = primes_of(keys.secret_key);
    const PublishedNumbers published = published_by(keys.public_key);
    check_finds(noise_search(*published.elements), primes);
    check_finds(smallest_orthogonal_lattice(*published.samples, 16, 60), primes);
    check_finds(squashed_key_lattice(*published.samples, *published.squashed), primes);
    check_finds(squashed_key_meet(*published.elements, *published.squashed), primes);
    CHECK_FALSE(published.product_form);
  }
}

TEST_CASE("keys of the product form are all tried", "[attack]") {
  const KeyPair keys = lab_keys("cmnt-mini-paper");
  const PublishedNumbers published = published_by(keys.public_key);
  CHECK_FALSE(published.squashed);
  check_finds(product_form_search(*published.elements, *published.product_form),
              primes_of(keys.secret_key));
}

TEST_CASE("attacks on a squashed key of another prime find nothing", "[attack]") {
  const PublishedNumbers published = published_by(lab_keys("cnt-mini").public_key);
  Samples others = *published.samples;
  const Planted other = planted({.rho = 12, .eta = 576, .gamma = 9216}, 17);
  others.x = other.samples.x;
  others.modulus = other.samples.modulus;
  CHECK(squashed_key_lattice(others, *published.squashed).primes.empty());
  CHECK(squashed_key_meet(others, *published.squashed).primes.empty());
}

TEST_CASE("the primes of a key of numbers in slots are found", "[attack]") {
  const she::SecretKey key =
      she::KeyGenerator(ParameterSet::named("she-mini")).generate(TestSeed{"laboratory"});
  for (const bool published : {false, true}) {
    CAPTURE(published);
    const PublishedNumbers numbers = published_by(key, 40, published);
    check_finds(noise_search(*numbers.elements), primes_of(key));
    check_finds(smallest_orthogonal_lattice(*numbers.samples, 7, 40), primes_of(key));
  }
}

TEST_CASE("a ciphertext of the quadratic public key is opened without a key", "[attack]") {
  const KeyPair keys = lab_keys("cmnt-mini");
  const PublishedNumbers published = published_by(keys.public_key);
  const Encryptor encryptor(keys.public_key, open_backend(), std::make_shared<TestRandom>("bits"));
  for (const bool bit : {false, true, true, false}) {
    const Finding finding =
        ciphertext_knapsack(*published.quadratic, encryptor.encrypt(bit).value());
    CHECK(finding.bit == bit);
    CHECK(finding.dimension == 11);
  }
  // Under the weights of CNT, long and few, this is no knapsack.
  QuadraticElements dense = *published.quadratic;
  dense.bits = 2000;
  CHECK_FALSE(ciphertext_knapsack(dense, keys.public_key.modulus() / 3).bit);
}

TEST_CASE("ciphertexts near an ideal lattice are opened", "[attack]") {
  const KeyPair keys = lab_keys("gh-mini");
  const IdealNumbers ideal = *published_by(keys.public_key).ideal;
  const Encryptor encryptor(keys.public_key, open_backend(), std::make_shared<TestRandom>("bits"));
  for (const bool bit : {false, true}) {
    CHECK(ideal_lattice(ideal, encryptor.encrypt(bit).value(), 32).bit == bit);
  }
  // A window opens some, and none wrongly.
  CHECK(ideal_lattice(ideal, encryptor.encrypt(true).value(), 26).bit.value_or(true));
  CHECK_FALSE(ideal_lattice(ideal, keys.public_key.modulus() / 3, 32).bit);
}

TEST_CASE("the squashed key of an ideal is found", "[attack]") {
  const KeyPair keys = lab_keys(small_ideal_group());
  IdealNumbers ideal = *published_by(keys.public_key).ideal;
  const Integer w = abs(*inverse_of(keys.secret_key));
  CHECK(is_inverse(w, ideal));
  CHECK_FALSE(is_inverse(w + 2, ideal));
  const Finding met = sparse_subset_meet(ideal);
  REQUIRE(met.inverse);
  CHECK(abs(*met.inverse) == w);
  const Finding reduced = sparse_subset_lattice(ideal);
  REQUIRE(reduced.inverse);
  CHECK(abs(*reduced.inverse) == w);
  const auto estimate = estimate_of(small_ideal_group());
  const auto model =
      std::ranges::find(estimate->attacks, "squashed key, lattice", &security::Attack::name);
  REQUIRE(model != estimate->attacks.end());
  CHECK(std::abs(static_cast<double>(reduced.dimension) - model->dimension) <= 2);
  ideal.x.front() += 2;  // the key of nobody
  CHECK_FALSE(sparse_subset_meet(ideal).inverse);
  CHECK_FALSE(sparse_subset_lattice(ideal).inverse);
  CHECK_THROWS_MATCHES(sparse_subset_meet(*published_by(lab_keys("gh-mini").public_key).ideal),
                       Error, test::HasCode(ErrorCode::invalid_argument, "at most 2^24"));
}

TEST_CASE("the noise of a ciphertext of an ideal is found by halves", "[attack]") {
  const KeyPair keys = lab_keys(small_ideal_group());
  IdealNumbers ideal = *published_by(keys.public_key).ideal;
  const Encryptor encryptor(keys.public_key, open_backend(), std::make_shared<TestRandom>("bits"));
  for (const bool bit : {false, true, true, false}) {
    CHECK(ideal_noise_meet(ideal, encryptor.encrypt(bit).value()).bit == bit);
  }
  CHECK_FALSE(ideal_noise_meet(ideal, ideal.d / 3).bit);
  ideal.nonzeros = 31;
  ideal.n = 64;
  CHECK_THROWS_MATCHES(ideal_noise_meet(ideal, 5), Error,
                       test::HasCode(ErrorCode::invalid_argument, "at most 2^24"));
  ideal.n = 128;
  CHECK_THROWS_MATCHES(ideal_noise_meet(ideal, 5), Error,
                       test::HasCode(ErrorCode::invalid_argument, "at most 64"));
}

TEST_CASE("sparse weights are found in about as many ciphertexts as the model says", "[attack]") {
  const KeyPair keys = lab_keys(sparse_group(543));
  const WeightedElements elements = *published_by(keys.public_key).weighted;
  const double luck = sparse_chance(elements).luck;
  CHECK(luck > 1);
  CHECK(luck < 5);
  std::vector<bool> bits;
  for (int i = 0; i < 200; ++i) bits.push_back(i % 3 == 0);
  std::vector<Integer> ciphertexts = sparse_ciphertexts(keys, bits);
  std::size_t opened = 0;
  std::span<const Integer> left(ciphertexts);
  while (!left.empty()) {
    const Finding finding = sparse_weights(elements, left);
    CHECK(finding.dimension == 18);
    if (!finding.bit) break;
    const std::size_t at = ciphertexts.size() - left.size() + finding.samples - 1;
    CHECK(*finding.bit == bits[at]);
    ++opened;
    left = left.subspan(finding.samples);
  }
  const double expected = 200 * std::exp2(-luck);
  CAPTURE(luck, opened, expected);
  CHECK(static_cast<double>(opened) > expected / 20);
  CHECK(static_cast<double>(opened) < expected * 2);
  // Dense weights, and sparse ones in the noise of the published groups, are not found.
  const Encryptor dense(keys.public_key, open_backend(), std::make_shared<TestRandom>("dense"));
  CHECK_FALSE(sparse_weights(elements, std::vector<Integer>{dense.encrypt(true).value()}).bit);
  const KeyPair others = lab_keys("cnt-mini");
  const WeightedElements noisy = *published_by(others.public_key).weighted;
  CHECK(sparse_chance(noisy).luck > 20);
  CHECK_FALSE(sparse_weights(noisy, sparse_ciphertexts(others, std::vector<bool>(20, true))).bit);
}

TEST_CASE("sparse weights beside little noise are flagged", "[attack]") {
  const auto cycles = [](const ParameterSet& group) {
    const auto estimate = estimate_of(group);
    REQUIRE(estimate->optional_attacks.size() == 1);
    CHECK(estimate->optional_attacks.front().name == "sparse weights");
    return estimate->optional_attacks.front().cycles;
  };
  const double published = cycles(ParameterSet::named("cnt-mini"));
  CHECK(cycles(sparse_group(552)) < published - 15);
  CHECK(cycles(sparse_group(545)) < cycles(sparse_group(552)));
}

TEST_CASE("refusals give the primes of all slots away", "[attack]") {
  const Planted key = planted({.rho = 7, .eta = 80, .gamma = 600, .slots = 3}, 5);
  for (const bool has_modulus : {true, false}) {
    CAPTURE(has_modulus);
    Samples samples = key.samples;
    if (!has_modulus) samples.modulus = 0;
    for (const Integer& limit : {power_of_two(78), Integer(power_of_two(78) - 12345)}) {
      const auto is_below = [&](const Integer& value) {
        const bool is_open = std::ranges::all_of(
            key.primes, [&](const Integer& p) { return abs(centred(value, p)) <= limit; });
        return is_open ? std::optional(true) : std::nullopt;
      };
      check_finds(decryption_oracle_of_slots(samples, {limit, is_below}), key.primes);
    }
  }
  const DecryptionOracle silent{power_of_two(78), [](const Integer&) { return std::nullopt; }};
  CHECK(decryption_oracle_of_slots(key.samples, silent).primes.empty());
  Samples many = key.samples;
  many.slots = 65;
  CHECK_THROWS_MATCHES(decryption_oracle_of_slots(many, silent), Error,
                       test::HasCode(ErrorCode::invalid_argument, "at most 64 slots"));
}

TEST_CASE("answers give the secret of an ideal away, refusals included", "[attack]") {
  const KeyPair keys = lab_keys("gh-mini");
  const IdealNumbers ideal = *published_by(keys.public_key).ideal;
  const Integer w = abs(*inverse_of(keys.secret_key));
  const Integer half = power_of_two(ideal.inverse_bits - 1);
  bool all_reduced = true;
  for (const Integer& limit : {half, Integer(half - half / 4)}) {
    const Finding finding =
        decryption_oracle_of_ideal(ideal, {limit, [&](const Integer& value) -> std::optional<bool> {
                                             all_reduced = all_reduced && value < ideal.d;
                                             const Integer noise = centred(value * w, ideal.d);
                                             if (abs(noise) << ideal.inverse_bits > limit * ideal.d)
                                               return std::nullopt;
                                             return noise % 2 != 0;
                                           }});
    REQUIRE(finding.inverse);
    CHECK(*finding.inverse == w);
    CHECK(finding.samples <= bit_length(ideal.d) - ideal.inverse_bits + 2);
  }
  CHECK(all_reduced);
  for (const std::optional<bool> constant : {std::optional<bool>(), std::optional(true)}) {
    const Finding fooled =
        decryption_oracle_of_ideal(ideal, {half, [&](const Integer&) { return constant; }});
    CHECK_FALSE(fooled.inverse);
  }
}

TEST_CASE("answers to ciphertexts of one's choice give p away", "[attack]") {
  const Planted key = planted({.rho = 7, .eta = 80, .gamma = 600}, 1);
  const Integer& p = key.primes.front();
  for (const Integer& limit : {power_of_two(78), Integer(power_of_two(78) - 12345)}) {
    const Finding finding = decryption_oracle(
        key.samples, {limit, [&](const Integer& value) {
                        return abs(centred(value, p)) <= limit ? std::optional(true) : std::nullopt;
                      }});
    check_finds(finding, key.primes);
    CHECK(finding.samples <= 80);
  }
  const Finding refused = decryption_oracle(
      key.samples, {power_of_two(78), [](const Integer&) { return std::nullopt; }});
  CHECK(refused.primes.empty());
}

// A weak group, and one that differs from it in one number: the estimator tells them apart, and the
// laboratory opens the one alone.
TEST_CASE("noise that is too short is flagged, and searched", "[attack]") {
  security::ApproximateGcd sizes{.rho = 190, .eta = 202, .gamma = 4096};
  const auto verdict = [&] { return security::estimate({.samples = sizes}).verdict(); };
  CHECK(verdict() != security::Verdict::broken);
  const Planted strong = planted(sizes, 20);
  CHECK(orthogonal_lattice(strong.samples, 20).primes.empty());
  CHECK_THROWS_AS(noise_search(strong.samples), Error);
  sizes.rho = 4;
  CHECK(verdict() == security::Verdict::broken);
  const Planted weak = planted(sizes, 1);
  check_finds(noise_search(weak.samples), weak.primes);
}

TEST_CASE("a modulus that is published is flagged, and used", "[attack]") {
  security::ApproximateGcd sizes{
      .rho = 17, .eta = 28, .gamma = 1024, .slots = 1, .modulus_public = false};
  const auto noise_cycles = [&] { return security::noise_search(sizes).cycles; };
  const double kept = noise_cycles();
  CHECK_THROWS_MATCHES(noise_search(planted(sizes, 5).samples), Error,
                       test::HasCode(ErrorCode::invalid_argument, "at most 16 bits"));
  sizes.modulus_public = true;
  CHECK(noise_cycles() < kept);
  CHECK(security::estimate({.samples = sizes}).quantum_breaks);
  const Planted weak = planted(sizes, 1);
  check_finds(noise_search(weak.samples), weak.primes);
}

TEST_CASE("primes that leave little of the modulus are flagged, and found", "[attack]") {
  security::ApproximateGcd sizes{.rho = 40, .eta = 240, .gamma = 500000, .slots = 2};
  const auto verdict = [&] { return security::estimate({.samples = sizes}).verdict(); };
  CHECK(verdict() != security::Verdict::broken);
  sizes.gamma = 500;
  CHECK(verdict() == security::Verdict::broken);
  const Planted weak = planted(sizes, 8);
  check_finds(orthogonal_lattice(weak.samples, 8), weak.primes);
}

TEST_CASE("CNT Toy falls to the lattice of its squashed key", "[attack]") {
  const KeyPair keys = lab_keys("cnt-toy");
  const PublishedNumbers published = published_by(keys.public_key);
  const Finding finding = squashed_key_lattice(*published.samples, *published.squashed);
  check_finds(finding, primes_of(keys.secret_key));
  CHECK(finding.dimension == 152);
}

TEST_CASE("attacks stop when they are told to", "[attack]") {
  const Planted key = planted({.rho = 16, .eta = 80, .gamma = 600, .slots = 1}, 12);
  std::stop_source source;
  source.request_stop();
  const Monitor stopped{.stop = source.get_token(), .progress = {}};
  const auto is_stopped = test::HasCode(ErrorCode::stopped, "");
  CHECK_THROWS_MATCHES(noise_search(key.samples, stopped), Error, is_stopped);
  CHECK_THROWS_MATCHES(exhaustive_noise_search(key.samples, stopped), Error, is_stopped);
  CHECK_THROWS_MATCHES(orthogonal_lattice(key.samples, 12, stopped), Error, is_stopped);
}

}  // namespace fhe::attack
