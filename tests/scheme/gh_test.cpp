// SPDX-License-Identifier: Apache-2.0
// GH: squashed key, expansion, encryption, recryption, files, and that no randomness repeats.
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/program_run.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/gh/encryption.hpp"
#include "libfhe/scheme/gh/key_generation.hpp"
#include "libfhe/scheme/gh/recrypt.hpp"
#include "libfhe/scheme/gh/row_program.hpp"
#include "libfhe/scheme/gh/squash.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "tests/catch.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/container_draft.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

constexpr StreamSeed kPublicSeed{std::byte{1}, std::byte{2}, std::byte{3}};

// The inside of a pair of test keys.
struct Laid {
  const KeyPair& keys;
  const gh::GhPublicMaterial& open;
  const gh::GhSecretMaterial& secret;
  const gh::Parameters& p;

  [[nodiscard]] const Integer& d() const { return open.modulus(); }
  [[nodiscard]] bool decrypts_to_one(const Integer& c) const {
    return secret.decrypt(c, NoiseBound()).bits.front();
  }
  // log2(d / |[c w]_d|): a bit at least for decryption, p + 1 for recryption.
  [[nodiscard]] double margin(const Integer& c) const {
    return log2_of(d()) - log2_of(secret.noise(c).value());
  }

 private:
  static double log2_of(const Integer& x) {
    long exponent = 0;
    const double mantissa = mpz_get_d_2exp(&exponent, x.get_mpz_t());
    return static_cast<double>(exponent) + std::log2(std::abs(mantissa));
  }
};

Laid laid_open(const std::string& group, const std::string& seed = "shared") {
  const KeyPair& keys = test_keys(group, seed);
  const gh::GhPublicMaterial& open = gh_part(keys.public_key);
  return {keys, open, gh_part(keys.secret_key), open.parameters()};
}

// Which ciphertexts of a block encrypt 1.
std::vector<std::size_t> ones_of_block(const Laid& laid, std::size_t block) {
  std::vector<std::size_t> ones;
  for (std::size_t i = 0; i < laid.p.c; ++i) {
    if (laid.decrypts_to_one(laid.open.squashed().eta[block * laid.p.c + i])) ones.push_back(i);
  }
  return ones;
}

// idx_k, read with the secret key by going through all pairs.
std::size_t chosen_element(const Laid& laid, std::size_t block) {
  const auto ones = ones_of_block(laid, block);
  REQUIRE(ones.size() == 2);
  std::size_t index = 0;
  for (std::size_t a = 0; a < laid.p.c; ++a) {
    for (std::size_t b = a + 1; b < laid.p.c; ++b, ++index) {
      if (a == ones[0] && b == ones[1]) return index;
    }
  }
  return index;
}

Integer element(const Laid& laid, std::size_t block, std::size_t j) {
  return oracle::mod(laid.open.squashed().x[block] << (laid.p.log_R * j), laid.d());
}

// The value of a program that is a bit of a block: sums of products, one after the other.
std::size_t selected_bit(const gh::Parameters& p, const RingProgram& program, std::size_t bit) {
  const std::size_t steps = 2 * gh::rows_of_block(p) - 1;
  return program.inputs() + (bit + 1) * steps - 1;
}

// The definition: y_j / d rounded to p bits with ties up, the parity of y_j added to the integer
// bit.
std::uint32_t plain_expansion(const gh::Parameters& p, const Integer& d, const Integer& y) {
  const Integer rounded = (((y << (p.precision + 1)) / d) + 1) >> 1;
  const std::uint32_t parity = mpz_odd_p(y.get_mpz_t()) != 0 ? 1 : 0;
  return static_cast<std::uint32_t>(rounded.get_ui()) ^ parity << p.precision;
}

void check_expansion(const gh::Parameters& p, const Integer& d, const Integer& y) {
  CAPTURE(y, d);
  const std::vector<std::uint32_t> z =
      windows_of_residue(y, d, p.S, p.log_R, static_cast<unsigned>(p.precision) + 1);
  REQUIRE(z.size() == p.S);
  Integer element = y;
  std::vector<std::uint32_t> expected;
  for (std::size_t j = 0; j < p.S; ++j) {
    expected.push_back(plain_expansion(p, d, element));
    element = oracle::mod(element << p.log_R, d);
  }
  CHECK(z == expected);
}

// Multiples of d / 2^e and their neighbours: what lies beside a rounding tie of some element.
std::vector<Integer> near_ties(const gh::Parameters& p, const Integer& d, Operands& random) {
  std::vector<Integer> values;
  const std::size_t longest = p.log_R * (p.S - 1) + p.precision + 1;
  for (const std::size_t e : {std::size_t{1}, p.precision + 1, p.log_R + p.precision + 1, longest,
                              longest + 1, longest + 70}) {
    const Integer multiple = random.bits(e) * d >> e;
    for (int offset = -1; offset <= 2; ++offset) values.emplace_back(multiple + offset);
  }
  std::erase_if(values, [&](const Integer& y) { return y < 0 || y >= d; });
  return values;
}

// A ciphertext whose centred residue [c w]_d is this one.
Ciphertext with_residue(const Laid& laid, const Integer& residue) {
  Integer inverse;
  REQUIRE(mpz_invert(inverse.get_mpz_t(), laid.secret.w().get_mpz_t(), laid.d().get_mpz_t()) != 0);
  return {oracle::mod(residue * inverse, laid.d()), laid.p.noise_rule().refresh_limit,
          laid.keys.public_key.id()};
}

struct Margins {
  double least;
  double most;
};

// The margins of recrypted new ciphertexts; all bits right, all noise within its bound.
Margins refreshed_margins(const Laid& laid, int runs) {
  const Encryptor encryptor = test_encryptor(laid.keys);
  const auto key_context = laid.keys.public_key.context(open_backend());
  Margins margins{1e9, 0};
  for (int i = 0; i < runs; ++i) {
    const bool bit = i % 2 != 0;
    const Ciphertext refreshed = key_context->recrypt(encryptor.encrypt(bit), {});
    CHECK(Decryptor(laid.keys.secret_key).decrypt(refreshed) == bit);
    CHECK(measure_noise(laid.keys.secret_key, refreshed) <= refreshed.noise());
    margins.least = std::min(margins.least, laid.margin(refreshed.value()));
    margins.most = std::max(margins.most, laid.margin(refreshed.value()));
  }
  return margins;
}

Integer section_integer(const std::vector<std::byte>& contents) {
  return from_bytes(contents);
}

std::string digest_text(const Integer& value) {
  return to_hex(sha256(value.get_str(16)));
}

// The section `eta` with entry `at` replaced.
void set_entry(std::vector<std::byte>& contents, std::size_t at, std::size_t bytes,
               const Integer& value) {
  to_bytes(value, std::span(contents).subspan(at * bytes, bytes));
}

}  // namespace

TEST_CASE("pairs are counted in lexicographic order", "[gh]") {
  for (const std::size_t c : {2U, 3U, 12U, 46U, 94U}) {
    std::size_t index = 0;
    for (std::size_t a = 0; a < c; ++a) {
      for (std::size_t b = a + 1; b < c; ++b, ++index) {
        CHECK(gh::pair_at(index, c) == gh::Pair{a, b});
      }
    }
  }
  CHECK(gh::pair_at(0, 46) == gh::Pair{0, 1});
  CHECK(gh::pair_at(44, 46) == gh::Pair{0, 45});
  CHECK(gh::pair_at(45, 46) == gh::Pair{1, 2});
  CHECK(gh::pair_at(511, 46) == gh::Pair{13, 18});
}

TEST_CASE("the chosen elements sum to the secret w, first and last pair included", "[gh]") {
  for (const std::string group : {"gh-mini", "gh-512"}) {
    const Laid laid = laid_open(group);
    Integer sum;
    for (std::size_t k = 0; k < laid.p.s; ++k) {
      const std::size_t j = chosen_element(laid, k);
      CHECK(j < laid.p.S);
      sum += element(laid, k, j);
    }
    CHECK(oracle::mod(sum, laid.d()) == oracle::mod(laid.secret.w(), laid.d()));
  }
}

TEST_CASE("elements are solved for every choice", "[gh]") {
  const Laid laid = laid_open("gh-mini");
  const auto ring = open_backend()->ring(laid.d());
  const auto last = static_cast<std::uint32_t>(laid.p.S - 1);
  for (const std::uint32_t index : {0U, 1U, last}) {
    const gh::ChosenElements chosen(laid.p.s, index);
    const SecretInteger w(laid.secret.w());
    const auto x = gh::solve_elements(laid.p, *ring, w, chosen, kPublicSeed);
    Integer sum;
    for (const Integer& value : x) {
      CHECK((value >= 0 && value < laid.d()));
      sum += value << (laid.p.log_R * index);
    }
    CHECK(oracle::mod(sum, laid.d()) == oracle::mod(w.value(), laid.d()));
  }
}

TEST_CASE("the choice is encrypted by exactly two ones of a block", "[gh]") {
  const Laid laid = laid_open("gh-mini");
  const auto ring = open_backend()->ring(laid.d());
  const gh::PowerTable powers(ring, laid.open.r(), laid.p.n, {});
  const auto last = static_cast<std::uint32_t>(laid.p.S - 1);
  gh::ChosenElements indices(laid.p.s, 0);
  indices[1] = last;
  indices[2] = 5;
  TestRandom random("choice");
  const auto eta = gh::encrypt_choice(laid.p, powers, indices,
                                      gh::draw_noise(laid.p, laid.p.s * laid.p.c, random), {});
  REQUIRE(eta.size() == laid.p.s * laid.p.c);
  for (std::size_t k = 0; k < laid.p.s; ++k) {
    const gh::Pair pair = gh::pair_at(indices[k], laid.p.c);
    for (std::size_t i = 0; i < laid.p.c; ++i) {
      const Integer& c = eta[k * laid.p.c + i];
      CHECK(laid.decrypts_to_one(c) == (i == pair.a || i == pair.b));
      CHECK(laid.secret.measure_noise(c) <= laid.p.fresh_noise());
    }
  }
}

TEST_CASE("key ciphertexts are fresh, distinct and never a literal bit", "[gh]") {
  for (const std::string group : {"gh-mini", "gh-512"}) {
    const Laid laid = laid_open(group);
    const auto& eta = laid.open.squashed().eta;
    REQUIRE(eta.size() == laid.p.s * laid.p.c);
    for (const Integer& c : eta) {
      CHECK((c > 1 && c < laid.d()));
      CHECK(laid.secret.measure_noise(c) <= laid.p.fresh_noise());
    }
    CHECK(std::set<Integer>(eta.begin(), eta.end()).size() == eta.size());
  }
}

TEST_CASE("the chosen elements differ from block to block and key to key", "[gh]") {
  std::set<std::size_t> seen;
  for (const std::string seed : {"shared", "one", "two"}) {
    const Laid laid = laid_open("gh-mini", seed);
    for (std::size_t k = 0; k < laid.p.s; ++k) seen.insert(chosen_element(laid, k));
  }
  CHECK(seen.size() > 16);
}

TEST_CASE("expansion is the definition, beside every tie too", "[gh]") {
  Operands random(5);
  for (const std::string group : {"gh-mini", "gh-512"}) {
    const Laid laid = laid_open(group);
    const int rounds = group == "gh-mini" ? 20 : 2;
    for (const Integer& y :
         {Integer(0), Integer(1), Integer(2), Integer(laid.d() - 1), Integer(laid.d() - 2),
          Integer(laid.d() / 2), Integer(laid.d() / 2 + 1)}) {
      check_expansion(laid.p, laid.d(), y);
    }
    for (int i = 0; i < rounds; ++i) check_expansion(laid.p, laid.d(), random.below(laid.d()));
    for (int i = 0; i < rounds; ++i) {
      for (const Integer& y : near_ties(laid.p, laid.d(), random)) {
        check_expansion(laid.p, laid.d(), y);
      }
    }
  }
}

TEST_CASE("expansion is the definition for moduli shorter than the expansion", "[gh]") {
  Operands random(6);
  const gh::Parameters p(ParameterSet::named("gh-mini"));
  for (const std::size_t bits : {2U, 20U, 800U, 900U, 970U, 971U, 972U, 1100U}) {
    for (int i = 0; i < 20; ++i) {
      const Integer d = random.exactly(bits) / 2 * 2 + 1;
      check_expansion(p, d, random.below(d));
      check_expansion(p, d, d - 1);
    }
  }
}

TEST_CASE("the chosen elements of a product sum to c w", "[gh]") {
  const Laid laid = laid_open("gh-mini");
  const Integer c = test_encryptor(laid.keys).encrypt(true).value();
  Integer sum;
  for (std::size_t k = 0; k < laid.p.s; ++k) {
    sum += oracle::mod(c * element(laid, k, chosen_element(laid, k)), laid.d());
  }
  CHECK(oracle::mod(sum - c * laid.secret.w(), laid.d()) == 0);
}

TEST_CASE("the selected bits of a block are the expansion of its chosen element", "[gh]") {
  for (const std::string group : {"gh-mini", "gh-512"}) {
    const Laid laid = laid_open(group);
    const auto ring = open_backend()->ring(laid.d());
    const Integer c = test_encryptor(laid.keys).encrypt(true).value();
    const gh::KeyOperands key(nullptr, laid.open.squashed());
    const gh::RowProgram rows(laid.p, laid.p.adder_program());
    RingProgram program = rows.with(key, bit_length(laid.d()));
    const auto z = windows_of(*ring, program, {&c, 1}, {}).front();
    const std::size_t width = laid.p.precision + 1;
    for (std::size_t k = 0; k < laid.p.s; ++k) {
      const std::size_t j = chosen_element(laid, k);
      std::uint32_t value = 0;
      for (std::size_t i = 0; i < width; ++i) {
        program.output = selected_bit(laid.p, program, k * width + i);
        const Integer bit = ring->run(program, {&c, 1}, {}).front();
        value |= (laid.decrypts_to_one(bit) ? 1U : 0U) << i;
      }
      CHECK(value == z[k * laid.p.S + j]);
      const Integer y = oracle::mod(c * element(laid, k, j), laid.d());
      CHECK(value == plain_expansion(laid.p, laid.d(), y));
    }
  }
}

TEST_CASE("new encryptions decrypt, with the noise of the measured table", "[gh]") {
  for (const std::string group : {"gh-mini", "gh-512"}) {
    const Laid laid = laid_open(group);
    const Encryptor encryptor = test_encryptor(laid.keys);
    const Decryptor decryptor(laid.keys.secret_key);
    for (int i = 0; i < 40; ++i) {
      const bool bit = i % 3 == 0;
      const Ciphertext c = encryptor.encrypt(bit);
      CHECK(decryptor.decrypt(c) == bit);
      CHECK(c.noise() == laid.p.fresh_noise());
      CHECK(measure_noise(laid.keys.secret_key, c) <= c.noise());
      CHECK(laid.margin(c.value()) > 376);
      CHECK(laid.margin(c.value()) < 396);
    }
  }
}

TEST_CASE("recrypted ciphertexts have the margins of the measured table", "[gh]") {
  const Margins mini = refreshed_margins(laid_open("gh-mini"), 40);
  CHECK(mini.least > 232);
  CHECK(mini.most < 262);
  const Margins toy = refreshed_margins(laid_open("gh-512"), 6);
  CHECK(toy.least >= 200);
  CHECK(toy.most < 220);
}

TEST_CASE("recryption is right up to its limit", "[gh]") {
  const Laid laid = laid_open("gh-mini");
  const auto key_context = laid.keys.public_key.context(open_backend());
  const Integer limit = laid.d() >> (laid.p.precision + 1);
  Operands random(8);
  for (const int sign : {1, -1}) {
    for (const Integer& residue : {limit, Integer(limit - 1), Integer(limit - 2),
                                   random.below(limit), random.below(limit), Integer(0)}) {
      const Ciphertext c = with_residue(laid, sign * residue);
      const bool bit = mpz_odd_p(residue.get_mpz_t()) != 0;
      CHECK(laid.decrypts_to_one(c.value()) == bit);
      CHECK(Decryptor(laid.keys.secret_key).decrypt(key_context->recrypt(c, {})) == bit);
    }
  }
}

TEST_CASE("a recryption takes the documented number of products and reductions", "[gh]") {
  const Laid laid = laid_open("gh-512");
  const auto key_context = laid.keys.public_key.context(open_backend("ntl"));
  const OperationCounts before = key_context->ring().backend().counts();
  const ThreadLimit limit(1);
  static_cast<void>(key_context->recrypt(test_encryptor(laid.keys).encrypt(true), {}));
  const OperationCounts done = key_context->ring().backend().counts() - before;
  // The expansion of 15 blocks; 14 rows of pairs for each of 75 bits, of which the highest of each
  // block are reduced with the sum that they are terms of; symmetric polynomials. A reduction of a
  // sum of products takes up to four more of the default ring.
  constexpr std::size_t kReductions = 15 + 60 + 91;
  constexpr std::size_t kProducts = 15 + 14 * 75 + 187;
  CHECK(done.reductions == kReductions);
  CHECK(done.multiplications >= kProducts);
  CHECK(done.multiplications <= kProducts + 4 * kReductions);
}

TEST_CASE("GH: numbers that do not fit each other are refused", "[gh]") {
  const auto refused = [](const std::string& field, std::size_t value, const std::string& why) {
    CAPTURE(field, value);
    CHECK_THROWS_MATCHES(GroupText("gh-mini").head("name", "\"own\"").set(field, value).parse(),
                         Error, HasCode(ErrorCode::invalid_parameters, why));
  };
  refused("s", 16, "precision = 4 bits are too few for a sum of s = 16");
  // Past half of what can be refreshed: 379 - 4 - 1 bits, less the growth of a product.
  refused("refreshed_noise", 186, "the group does not bootstrap");
  CHECK_NOTHROW(GroupText("gh-mini").head("name", "\"own\"").set("refreshed_noise", 184).parse());
}

TEST_CASE("GH: bounds of noise are what the scheme says", "[gh]") {
  const gh::Parameters p(ParameterSet::named("gh-mini"));
  // The norm of 1 + 2u: 3 at one place at most, and 2 at the other h - 1.
  CHECK(std::exp2(2 * p.fresh_noise().bits()) >= static_cast<double>(4 * (p.h - 1) + 9));
  const double most = static_cast<double>(p.inverse_bits) - 1;
  CHECK(p.noise_rule().decrypt_limit.bits() < most);
  CHECK(p.noise_rule().refresh_limit.bits() < most - static_cast<double>(p.precision));
  // Other adders claim more, by as much as they leave more of the sums of products of a block.
  const auto left = [&](const std::string& name) {
    const AdderProgram adder = p.adder_program(name);
    const double bits = 2 + std::log2(p.h) + std::log2(p.S) / 2;
    return adder.run(
        std::vector<NoiseBound>(adder.inputs(), NoiseBound::from_bits(bits)),
        [](NoiseBound x, NoiseBound y) { return x + y; },
        [](NoiseBound x, NoiseBound y) { return x * y; });
  };
  const NoiseBound own = p.refreshed_noise_bound(p.adder_program());
  for (const std::string& name : AdderProgram::names()) {
    CAPTURE(name);
    const NoiseBound other = p.refreshed_noise_bound(p.adder_program(name));
    CHECK((other == own) == (name == p.adder));
    CHECK(other.units() - own.units() >= left(name).units() - left(p.adder).units());
  }
}

TEST_CASE("GH: products of recrypted ciphertexts count for a key, with its own adder", "[gh]") {
  const gh::Parameters p(ParameterSet::named("gh-mini"));
  const auto is_exceeded = [&](const std::string& adder, double product) {
    return gh::exceeded_claim(p,
                              {{adder, NoiseTrials({1}), NoiseTrials({1}), NoiseTrials({product})}})
        .has_value();
  };
  const NoiseBound claim = p.refreshed_noise_bound(p.adder_program());
  const double most = p.noise_rule().product(claim, claim).bits();
  CHECK_FALSE(is_exceeded(p.adder, most));
  CHECK(is_exceeded(p.adder, most + 1));
  CHECK_FALSE(is_exceeded("csa", most + 1));
}

TEST_CASE("sparse encryption is refused", "[gh]") {
  const Encryptor encryptor = test_encryptor(test_keys("gh-mini"));
  CHECK_THROWS_MATCHES(encryptor.encrypt(true, {.sparse = true}), Error,
                       HasCode(ErrorCode::unsupported, "sparse"));
  CHECK(encryptor.encrypt(std::vector<bool>{}).empty());
}

TEST_CASE("a prepared encryptor makes the same ciphertexts", "[gh]") {
  const KeyPair& keys = test_keys("gh-mini");
  const Encryptor plain = test_encryptor(keys);
  const Encryptor prepared = test_encryptor(keys);
  prepared.prepare();
  for (const bool bit : {false, true}) {
    CHECK(plain.encrypt(bit).value() == prepared.encrypt(bit).value());
  }
  test_encryptor(test_keys("cnt-mini")).prepare();
}

TEST_CASE("GH: thousands of encryptions of one bit are all distinct", "[gh]") {
  const Encryptor encryptor(test_keys("gh-mini").public_key);
  std::set<Integer> values;
  for (const bool bit : {false, true}) {
    for (const Ciphertext& c : encryptor.encrypt(std::vector<bool>(2000, bit))) {
      values.insert(c.value());
    }
  }
  CHECK(values.size() == 4000);
}

TEST_CASE("GH: a test seed makes the same keys, another seed others", "[gh]") {
  const KeyGenerator generator(ParameterSet::named("gh-mini"));
  const KeyPair first = generator.generate(TestSeed{"one"});
  const KeyPair again = generator.generate(TestSeed{"one"});
  const KeyPair other = generator.generate(TestSeed{"two"});
  CHECK(first.public_key.id() == again.public_key.id());
  CHECK(gh_part(first.secret_key).w() == gh_part(again.secret_key).w());
  CHECK(first.public_key.id() != other.public_key.id());
  CHECK(first.public_key.modulus() != other.public_key.modulus());
  CHECK(gh_part(first.public_key).squashed().x[0] != gh_part(other.public_key).squashed().x[0]);
}

TEST_CASE("GH: one public seed and two secret sources share no secret", "[gh]") {
  const gh::Parameters parameters(ParameterSet::named("gh-mini"));
  const auto make = [&](const StreamSeed& seed, const std::string& secret) {
    TestRandom random(secret);
    return gh::generate_keys(parameters, open_backend(), seed, random, {});
  };
  const auto open = [](const KeyMaterial& keys) -> const gh::GhPublicMaterial& {
    return dynamic_cast<const gh::GhPublicMaterial&>(*keys.public_part);
  };
  const KeyMaterial first = make(kPublicSeed, "first");
  const KeyMaterial second = make(kPublicSeed, "second");
  CHECK(open(first).modulus() != open(second).modulus());
  std::size_t shared = 0;
  for (std::size_t i = 0; i < open(first).squashed().eta.size(); ++i) {
    shared += open(first).squashed().eta[i] == open(second).squashed().eta[i] ? 1U : 0U;
  }
  CHECK(shared == 0);
  // Another public seed changes the elements and nothing that is secret.
  const KeyMaterial third = make(StreamSeed{}, "first");
  CHECK(open(first).modulus() == open(third).modulus());
  CHECK(open(first).squashed().eta == open(third).squashed().eta);
  CHECK(open(first).squashed().x[0] != open(third).squashed().x[0]);
}

TEST_CASE("GH: keys and ciphertexts of the system's randomness differ, in children too", "[gh]") {
  const KeyGenerator generator(ParameterSet::named("gh-mini"));
  const KeyPair shared = generator.generate();
  const Encryptor encryptor(shared.public_key);
  const Ciphertext before = encryptor.encrypt(true);
  const auto key = [&] { return to_hex(generator.generate().public_key.id().digest); };
  const auto ciphertext = [&] { return digest_text(encryptor.encrypt(true).value()); };
  const std::set<std::string> ids{in_child(key), in_child(key), key(), key(),
                                  to_hex(shared.public_key.id().digest)};
  CHECK(ids.size() == 5);
  const std::set<std::string> ciphertexts{in_child(ciphertext), in_child(ciphertext), ciphertext(),
                                          ciphertext(), digest_text(before.value())};
  CHECK(ciphertexts.size() == 5);
}

TEST_CASE("GH: a failing source of randomness produces nothing", "[gh]") {
  struct FailingRandom final : SecretRandom {
    void fill(std::span<std::byte>) override { throw Error(ErrorCode::randomness, "broken"); }
    [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t) const override {
      return std::make_unique<FailingRandom>();
    }
    [[nodiscard]] bool is_test() const override { return false; }
  };
  const KeyPair& keys = test_keys("gh-mini");
  const Encryptor encryptor(keys.public_key, open_backend(), std::make_shared<FailingRandom>());
  CHECK_THROWS_MATCHES(encryptor.encrypt(true), Error, HasCode(ErrorCode::randomness));
  FailingRandom random;
  CHECK_THROWS_MATCHES(gh::generate_keys(gh_part(keys.public_key).parameters(), open_backend(),
                                         kPublicSeed, random, {}),
                       Error, HasCode(ErrorCode::randomness));
}

TEST_CASE("GH: nothing depends on the number of threads", "[gh]") {
  const auto run = [](std::size_t threads) {
    const ThreadLimit limit(threads);
    const KeyPair keys = KeyGenerator(ParameterSet::named("gh-mini")).generate(TestSeed{"threads"});
    std::vector<Ciphertext> made = test_encryptor(keys).encrypt({true, false, true});
    made.push_back(keys.public_key.context(open_backend())->recrypt(made.front(), {}));
    std::string text = to_hex(keys.public_key.id().digest);
    for (const Ciphertext& c : made) text += '\n' + digest_text(c.value());
    return text;
  };
  const std::string alone = run(1);
  CHECK(run(2) == alone);
  CHECK(run(3) == alone);
}

TEST_CASE("GH: a public key file is its documented sections", "[gh]") {
  const Laid laid = laid_open("gh-mini");
  const TemporaryDirectory directory;
  save(directory / "key", laid.keys.public_key);
  const std::size_t bytes = bytes_for_bits(bit_length(laid.d()));
  const std::size_t values = 2 + laid.p.s + laid.p.s * laid.p.c;
  const std::size_t header = 168 + 48 * 5 + laid.keys.public_key.parameters().to_toml().size();
  CHECK(file_size(directory / "key") == header + values * bytes);

  const PublicKey loaded = load_public_key(directory / "key");
  CHECK(loaded.id() == laid.keys.public_key.id());
  CHECK(gh_part(loaded).r() == laid.open.r());
  CHECK(gh_part(loaded).squashed().x == laid.open.squashed().x);
  CHECK(gh_part(loaded).squashed().eta == laid.open.squashed().eta);
  save(directory / "again", loaded);
  CHECK(read_file(directory / "again") == read_file(directory / "key"));
}

TEST_CASE("GH: impossible public keys are refused", "[gh]") {
  const Laid laid = laid_open("gh-mini");
  const TemporaryDirectory directory;
  save(directory / "key", laid.keys.public_key);
  const Draft good(directory / "key");
  const std::size_t bytes = bytes_for_bits(bit_length(laid.d()));
  const auto refused = [&](Draft draft, const std::string& part) {
    CAPTURE(part);
    draft.fit_key_id();
    draft.write(directory / "forged");
    CHECK_THROWS_MATCHES(load_public_key(directory / "forged"), Error,
                         HasCode(ErrorCode::malformed_file, part));
  };
  {
    Draft unchanged = good;
    unchanged.fit_key_id();
    unchanged.write(directory / "forged");
    CHECK_NOTHROW(load_public_key(directory / "forged"));
    CHECK(section_integer(unchanged["d"]) == laid.d());
  }
  const auto with_entry = [&](const std::string& section, std::size_t at, const Integer& value) {
    Draft draft = good;
    set_entry(draft[section], at, bytes, value);
    return draft;
  };
  const auto& eta = laid.open.squashed().eta;
  const std::size_t last = eta.size() - 1;
  refused(with_entry("d", 0, laid.d() - 1), "even");
  refused(with_entry("d", 0, laid.d() - 2), "not a root");
  refused(with_entry("r", 0, laid.open.r() + 1), "not a root");
  refused(with_entry("r", 0, laid.d()), "not below");
  refused(with_entry("x", 0, laid.d()), "not below");
  refused(with_entry("x", laid.p.s - 1, laid.d() + 1), "not below");
  refused(with_entry("eta", last, laid.d()), "not below");
  refused(with_entry("eta", 3, 0), "tells the bit");
  refused(with_entry("eta", last, 1), "tells the bit");
  refused(with_entry("eta", last, eta[0]), "tells the bit");

  Draft longer = good;
  longer["d"].push_back(std::byte{0});
  refused(longer, "leading zeros");
  Draft oversized = good;
  oversized["d"].resize(bytes_for_bits(laid.p.max_determinant_bits()) + 1);
  refused(oversized, "");
  Draft empty = good;
  empty["d"].clear();
  refused(empty, "");
  Draft shorter = good;
  shorter["eta"].resize(shorter["eta"].size() - bytes);
  refused(shorter, "");
  Draft missing = good;
  missing.sections.pop_back();
  refused(missing, "");
  Draft additional = good;
  additional.sections.push_back({"more", std::vector<std::byte>(5)});
  refused(additional, "");
}

TEST_CASE("GH: ciphertexts that are not below the determinant are refused", "[gh]") {
  const Laid laid = laid_open("gh-mini");
  const Decryptor decryptor(laid.keys.secret_key);
  const TemporaryDirectory directory;
  for (const Integer& value : {laid.d(), Integer(laid.d() + 1), Integer(2 * laid.d())}) {
    const Ciphertext c(value, laid.p.fresh_noise(), laid.keys.public_key.id());
    CHECK_THROWS_MATCHES(decryptor.decrypt(c), Error, HasCode(ErrorCode::invalid_argument));
    CHECK_THROWS_MATCHES(save(directory / "c", {c}, laid.keys.public_key), Error,
                         HasCode(ErrorCode::invalid_argument));
  }
}

TEST_CASE("GH: encryption, recryption and preparation can be stopped", "[gh]") {
  const KeyPair& keys = test_keys("gh-mini");
  const Ciphertext c = test_encryptor(keys).encrypt(true);
  const auto key_context = keys.public_key.context(open_backend());
  check_phases([&](const Monitor& monitor) { static_cast<void>(key_context->recrypt(c, monitor)); },
               {"expand", "selected sums", "adder"});
  const Encryptor encryptor = test_encryptor(keys);
  const Monitor stopped = stopped_monitor();
  const HasCode is_stopped(ErrorCode::stopped);
  CHECK_THROWS_MATCHES(encryptor.prepare(stopped), Error, is_stopped);
  CHECK_THROWS_MATCHES(encryptor.encrypt(true, {}, stopped), Error, is_stopped);
  CHECK_THROWS_MATCHES(encryptor.encrypt(std::vector<bool>(40), {}, stopped), Error, is_stopped);
  CHECK(Decryptor(keys.secret_key).decrypt(encryptor.encrypt(true)));
}

TEST_CASE("margins of recrypted ciphertexts at gh-2048", "[gh][long]") {
  const Margins margins = refreshed_margins(laid_open("gh-2048"), 4);
  CHECK(margins.least >= 205);
  CHECK(margins.most < 225);
}

TEST_CASE("keys, encryption and one recryption at gh-32768", "[gh][long]") {
  const KeyPair keys = KeyGenerator(ParameterSet::named("gh-32768")).generate(TestSeed{"large"});
  const Laid laid{keys, gh_part(keys.public_key), gh_part(keys.secret_key),
                  gh_part(keys.public_key).parameters()};
  const Encryptor encryptor = test_encryptor(keys);
  const auto key_context = keys.public_key.context(open_backend());
  const Ciphertext c = encryptor.encrypt(true);
  CHECK(Decryptor(keys.secret_key).decrypt(c));
  CHECK_FALSE(Decryptor(keys.secret_key).decrypt(encryptor.encrypt(false)));
  const Ciphertext refreshed = key_context->recrypt(c, {});
  CHECK(Decryptor(keys.secret_key).decrypt(refreshed));
  CHECK(laid.margin(refreshed.value()) > 190);
}

}  // namespace fhe::test
