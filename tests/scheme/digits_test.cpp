// SPDX-License-Identifier: Apache-2.0
// Recryption by digits: the formula in integers, exhaustively; recrypted ciphertexts against it,
// noise included; keys, their claims and what is refused.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/error.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/dghv/digit_formula.hpp"
#include "libfhe/scheme/dghv/digit_program.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "libfhe/scheme/noise_trials.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/expanded.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

// Integers; a division that leaves a remainder ends the test.
struct Integers {
  using Value = Integer;

  template <class... Pairs>
  static std::array<Integer, sizeof...(Pairs)> products(const Pairs&... pairs) {
    return {Integer(pairs.left * pairs.right)...};
  }
  static Integer quotient(std::initializer_list<dghv::Multiple<Integer>> multiples,
                          unsigned long divisor) {
    return quotient(multiples, {}, divisor);
  }
  static Integer quotient(std::initializer_list<dghv::Multiple<Integer>> multiples,
                          std::initializer_list<dghv::MultipleOfProduct<Integer>> products,
                          unsigned long divisor) {
    Integer sum;
    for (const auto& [times, value] : multiples) sum += times * value;
    for (const auto& [times, left, right] : products) sum += times * left * right;
    if (mpz_divisible_ui_p(sum.get_mpz_t(), divisor) == 0) FAIL("a division leaves a remainder");
    return sum / divisor;
  }
};

bool is_odd(const Integer& x) {
  return mpz_odd_p(x.get_mpz_t()) != 0;
}

// The noise terms of the encrypted key bits: those of a, and those of b.
struct KeyNoise {
  std::vector<Integer> parity;
  std::vector<Integer> digits;
};

std::vector<Integer> noise_of(const PublicStream& chi, const std::vector<Integer>& corrections,
                              const Integer& p) {
  std::vector<Integer> noise;
  for (std::size_t i = 0; i < corrections.size(); ++i) {
    noise.push_back(centered(chi.element(i) - corrections[i], p));
  }
  return noise;
}

const dghv::SquashedKey& squashed_part(const PublicKey& key) {
  return key.parameters().scheme() == "cnt" ? cnt_part(key).squashed() : cmnt_part(key).squashed();
}

const dghv::Parameters& dghv_parameters(const PublicKey& key) {
  if (key.parameters().scheme() == "cnt") return cnt_part(key).parameters();
  return cmnt_part(key).parameters();
}

KeyNoise key_noise_of(const KeyPair& keys) {
  const dghv::Parameters& parameters = dghv_parameters(keys.public_key);
  const dghv::SquashedKey& squashed = squashed_part(keys.public_key);
  const Integer& p = dghv_part(keys.secret_key).p();
  KeyNoise noise{
      .parity = noise_of(key_bit_stream(parameters, squashed.seed), squashed.sigma, p),
      .digits = noise_of(key_digit_stream(parameters, squashed.seed), squashed.digit_sigma, p)};
  if (!parameters.has_digit_set()) noise.digits = noise.parity;
  return noise;
}

// The noise that recryption leaves for expanded ciphertext z: the formula on the noise of the sums.
struct Sums {
  Integer a;
  Integer b;
};

Sums sums_of(const KeyNoise& noise, const std::vector<std::uint32_t>& z) {
  Sums sums{.a = 0, .b = 8};
  for (std::size_t i = 0; i < z.size(); ++i) {
    const long centred = z[i] < 16 ? static_cast<long>(z[i]) : static_cast<long>(z[i]) - 32;
    sums.b += centred * noise.digits[i];
    if (z[i] % 4 == 1) sums.a += noise.parity[i];
    if (z[i] % 4 == 3) sums.a -= noise.parity[i];
  }
  return sums;
}

// Draws of key generation for a group, without the rest of a key.
KeyNoise drawn_noise(const dghv::Parameters& parameters, SecretRandom& random) {
  const SecretIndices ones = dghv::draw_ones(parameters, random);
  const SecretIntegers drawn = dghv::draw_key_bit_noise(parameters, ones, random);
  KeyNoise noise;
  for (std::size_t i = 0; i < drawn.size(); ++i) noise.parity.push_back(drawn[i]);
  noise.digits = noise.parity;
  if (!parameters.has_digit_set()) return noise;
  for (Integer& term : noise.digits) {
    term = dghv::kDigitModulus * uniform_centered(random, parameters.rho);
  }
  for (const std::uint32_t one : ones) noise.digits[one] += 1;
  return noise;
}

// `count` recryptions of random expanded ciphertexts on the noise terms of a key: what each leaves,
// in bits. It is the very noise of a recryption.
std::vector<double> simulated(const KeyNoise& noise, std::size_t count) {
  std::vector<double> bits(count);
  parallel_for(count, [&](std::size_t trial) {
    std::mt19937_64 words(trial);
    std::vector<std::uint32_t> z(noise.parity.size());
    for (std::uint32_t& number : z) number = static_cast<std::uint32_t>(words() >> 59);
    const Sums sums = sums_of(noise, z);
    bits[trial] = NoiseBound::from_magnitude(dghv::top_digit(Integers(), sums.a, sums.b)).bits();
  });
  return bits;
}

const std::vector<std::string> kMiniGroups{"cnt-mini-digits", "cmnt-mini-digits",
                                           "cnt-mini-special"};

std::vector<std::string> digit_groups() {
  std::vector<std::string> groups = ParameterSet::names();
  std::erase_if(groups, [](const std::string& name) {
    const ParameterSet group = ParameterSet::named(name);
    return !group.has("adder") || group.word("adder") != dghv::kDigits;
  });
  return groups;
}

dghv::Parameters parameters_of(const std::string& group) {
  if (group.starts_with("cnt")) return cnt_parameters(group);
  return cmnt_parameters(group);
}

// Recrypts both bits with new and extreme ciphertexts: bits and noise are exactly what the formula
// says, and within the claim.
void check_recryptions(const std::string& group, std::size_t rounds) {
  CAPTURE(group);
  const KeyPair& keys = test_keys(group);
  const auto key = keys.public_key.context(open_backend());
  const dghv::Parameters& parameters = dghv_parameters(keys.public_key);
  const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
  const KeyNoise noise = key_noise_of(keys);
  const Encryptor encryptor = test_encryptor(keys);
  Operands random(7);
  for (std::size_t i = 0; i < rounds; ++i) {
    const Ciphertext c = i % 2 == 0 ? encryptor.encrypt(i % 4 == 0)
                                    : with_noise(keys, random.bits(i % 60), random.bits(i % 5000));
    const Ciphertext refreshed = key->recrypt(c, {});
    const auto z = expanded(parameters, squashed_part(keys.public_key), c.value());
    const Sums sums = sums_of(noise, z);
    const Integer expected =
        dghv::top_digit(Integers(), sums.a, sums.b) + (is_odd(c.value()) ? 1 : 0);
    CHECK(secret.noise(refreshed.value()).value() == expected);
    CHECK(is_odd(expected) == is_odd(secret.noise(c.value()).value()));
    CHECK(refreshed.noise() == parameters.refreshed_noise(""));
    CHECK(Decryptor(keys.secret_key).decrypt(refreshed) == Decryptor(keys.secret_key).decrypt(c));
  }
}

}  // namespace

TEST_CASE("the formula takes digit 4 out of every integer, by any of its parity", "[digits]") {
  for (long b = -200; b < 200; ++b) {
    for (long a = -9 - (b % 2 == 0 ? 1 : 0); a < 10; a += 2) {
      const Integer top = dghv::top_digit(Integers(), Integer(a), Integer(b));
      if (is_odd(top) != ((b >> 4 & 1) != 0)) FAIL("digit 4 of " << b << " by " << a);
    }
  }
  Operands random(1);
  for (int i = 0; i < 200; ++i) {
    const Integer b = random.with_random_sign(random.bits(200));
    Integer a = random.with_random_sign(random.bits(80));
    if (is_odd(a) != is_odd(b)) a += 1;
    Integer digit;
    mpz_fdiv_q_2exp(digit.get_mpz_t(), b.get_mpz_t(), 4);
    CHECK(is_odd(dghv::top_digit(Integers(), a, b)) == is_odd(digit));
  }
}

TEST_CASE("the bound holds for all that the sums can be, and is near", "[digits]") {
  Operands random(2);
  for (const std::size_t bits : {1U, 5U, 33U, 90U}) {
    CAPTURE(bits);
    const Integer a_limit = power_of_two(bits);
    const Integer b_limit = power_of_two(bits + 10);
    const NoiseBound bound =
        dghv::digit_noise(NoiseBound::from_magnitude(a_limit), NoiseBound::from_magnitude(b_limit));
    NoiseBound largest;
    for (int i = 0; i < 400; ++i) {
      // The corners first.
      Integer a = i < 4 ? a_limit : Integer(random.bits(bits));
      Integer b = i < 4 ? b_limit : Integer(random.bits(bits + 10));
      if (i % 2 != 0) a = -a;
      if (i % 4 > 1) b = -b;
      if (is_odd(a) != is_odd(b)) b += b < 0 ? 1 : -1;
      const Integer top = dghv::top_digit(Integers(), a, b);
      largest = std::max(largest, NoiseBound::from_magnitude(abs(top) + 1));
    }
    CHECK(largest <= bound);
    if (bits > 20) CHECK(largest.bits() > bound.bits() - 1);
  }
}

TEST_CASE("a recryption by digits leaves exactly the noise that its formula says", "[digits]") {
  for (const std::string& group : kMiniGroups) check_recryptions(group, 60);
  check_recryptions("cnt-toy-digits", 12);
  check_recryptions("cmnt-toy-digits", 8);
}

TEST_CASE("recryption by digits is right up to its noise limit, on both sides", "[digits]") {
  for (const std::string& group : kMiniGroups) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const auto key = keys.public_key.context(open_backend());
    const auto whole_bits = static_cast<std::size_t>(key->noise_rule().refresh_limit.bits()) + 1;
    const Integer largest = power_of_two(whole_bits) - power_of_two(whole_bits - 7);
    Operands random(4);
    for (int i = 0; i < 100; ++i) {
      const Integer noise = random.with_random_sign(largest - random.bits(10));
      const Ciphertext c = with_noise(keys, noise, random.bits(5000));
      const Ciphertext refreshed = key->recrypt(c, {});
      CHECK(Decryptor(keys.secret_key).decrypt(refreshed) == is_odd(noise));
    }
  }
}

TEST_CASE("key bits of digit keys have the noise that their group says", "[digits]") {
  for (const std::string& group : kMiniGroups) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const dghv::Parameters& parameters = dghv_parameters(keys.public_key);
    const KeyNoise noise = key_noise_of(keys);
    const SecretIndices& ones = dghv_part(keys.secret_key).ones();
    for (std::size_t i = 0; i < parameters.Theta; ++i) {
      const bool one = std::ranges::count(ones, static_cast<std::uint32_t>(i)) == 1;
      CHECK(is_odd(noise.parity[i]) == one);
      CHECK(mpz_fdiv_ui(noise.digits[i].get_mpz_t(), 32) == (one ? 1 : 0));
      CHECK(abs(noise.parity[i]) <= power_of_two(parameters.key_bit_noise_bits()));
      CHECK(abs(noise.digits[i]) <= power_of_two(parameters.rho + 5));
    }
    CHECK((squashed_part(keys.public_key).digit_sigma.empty()) == !parameters.has_digit_set());
  }
}

// b = 8 + sum z_i sigma'_i with z_i in [-16, 16) and noise terms 32 r_i + s_i, |r_i| < 2^rho.
TEST_CASE("the bound on the noise of b is what its largest terms add up to", "[digits]") {
  for (const std::string& group : kMiniGroups) {
    CAPTURE(group);
    const dghv::Parameters parameters = parameters_of(group);
    const Integer term = 32 * (power_of_two(parameters.rho) - 1) + 1;
    const Integer largest = 8 + 16 * static_cast<unsigned long>(parameters.Theta) * term;
    const NoiseBound bound = parameters.digit_sum_noise();
    CHECK(NoiseBound::from_magnitude(largest) <= bound);
    CHECK(bound.bits() < NoiseBound::from_magnitude(largest).bits() + 0.01);
  }
}

TEST_CASE("all keys that are drawn keep the bound on the noise of a", "[digits]") {
  for (const std::string group : {"cnt-mini-digits", "cnt-toy-digits", "cmnt-mini-digits"}) {
    CAPTURE(group);
    const dghv::Parameters parameters = parameters_of(group);
    TestRandom random("bounds of " + group);
    const double failure = static_cast<double>(parameters.digits->failure_bits);
    const double limit = std::exp2(parameters.digit_parity_noise().bits());
    for (int key = 0; key < 20; ++key) {
      const KeyNoise noise = drawn_noise(parameters, random);
      double sum = 0;
      double squares = 0;
      for (const Integer& term : noise.parity) {
        sum += std::abs(term.get_d());
        squares += term.get_d() * term.get_d();
      }
      if (parameters.digits->failure_bits == 0) {
        CHECK(sum <= limit);
      } else {
        CHECK(2 * std::exp(-limit * limit / squares) <= std::exp2(-failure) * 1.001);
      }
    }
  }
}

TEST_CASE("recryptions by digits keep their claim", "[digits][claims]") {
  for (const std::string group :
       {"cnt-mini-digits", "cnt-toy-digits", "cnt-small-digits", "cmnt-mini-digits"}) {
    CAPTURE(group);
    const dghv::Parameters parameters = parameters_of(group);
    TestRandom random("claims of " + group);
    const NoiseBound claim = parameters.refreshed_noise("");
    const std::vector<double> bits = simulated(drawn_noise(parameters, random), 2000);
    CHECK(std::ranges::max(bits) <= claim.bits());
    CHECK(std::ranges::max(bits) > claim.bits() - 90);
  }
}

TEST_CASE("no recryption in a hundred thousand by digits exceeds its claim", "[digits][long]") {
  for (const std::string& group : digit_groups()) {
    const dghv::Parameters parameters = parameters_of(group);
    TestRandom random("many recryptions of " + group);
    std::vector<double> bits;
    for (int key = 0; key < 10; ++key) {
      std::ranges::copy(simulated(drawn_noise(parameters, random), 10000),
                        std::back_inserter(bits));
    }
    const NoiseTrials trials(bits);
    const double claim = parameters.refreshed_noise("").bits();
    WARN(group << ": claim " << claim << ", " << trials.text());
    CHECK(trials.largest() <= claim);
  }
}

TEST_CASE("every group of digits lets two recrypted ciphertexts be multiplied", "[digits]") {
  CHECK(digit_groups().size() == 15);
  for (const std::string& group : digit_groups()) {
    CAPTURE(group);
    const dghv::Parameters parameters = parameters_of(group);
    const NoiseRule rule = parameters.noise_rule();
    const NoiseBound refreshed = parameters.refreshed_noise("");
    // A sum of two by a refreshed one, at least.
    CHECK(rule.product(rule.sum(refreshed, refreshed), refreshed) <= rule.refresh_limit);
    // The other fields are those of the published group.
    const ParameterSet own = ParameterSet::named(group);
    const ParameterSet published = ParameterSet::named(group.substr(0, group.rfind('-')));
    for (const auto& [name, field] : published.fields()) {
      if (name == "adder" || name == "key_noise_percent" || name == "q0_prime_bits") continue;
      CAPTURE(name);
      CHECK(own.fields().at(name).value == field.value);
    }
  }
}

TEST_CASE("recryption by digits is the same on every backend", "[digits]") {
  for (const std::string& group : kMiniGroups) {
    const KeyPair& keys = test_keys(group);
    const Ciphertext c = test_encryptor(keys).encrypt(true);
    const Ciphertext expected = keys.public_key.context(open_backend())->recrypt(c, {});
    for (const BackendPtr& backend : backends_under_test()) {
      CAPTURE(group, backend->info().name);
      CHECK(keys.public_key.context(backend)->recrypt(c, {}).value() == expected.value());
    }
  }
}

TEST_CASE("a digit key recrypts with adders too, within their bounds", "[digits]") {
  for (const std::string& group : kMiniGroups) {
    const KeyPair& keys = test_keys(group);
    for (const std::string& adder : AdderProgram::names()) {
      CAPTURE(group, adder);
      const auto key = keys.public_key.context(open_backend(), {.adder = adder});
      for (const bool bit : {false, true}) {
        const Ciphertext refreshed = key->recrypt(test_encryptor(keys).encrypt(bit), {});
        CHECK(is_odd(dghv_part(keys.secret_key).noise(refreshed.value()).value()) == bit);
        CHECK(measure_noise(keys.secret_key, refreshed) <= refreshed.noise());
      }
    }
    CHECK(keys.public_key.context(open_backend(), {.adder = "digits"})->refreshed_noise() ==
          keys.public_key.context(open_backend())->refreshed_noise());
  }
  CHECK_THROWS_MATCHES(
      test_keys("cnt-mini").public_key.context(open_backend(), {.adder = "digits"}), Error,
      HasCode(ErrorCode::unsupported, "nothing for recryption by digits"));
  CHECK_THROWS_MATCHES(test_keys("gh-mini").public_key.context(open_backend(), {.adder = "digits"}),
                       Error, HasCode(ErrorCode::unknown_name, "digits"));
}

TEST_CASE("recryption by digits reports its phases and can be stopped in each", "[digits]") {
  const KeyPair& keys = test_keys("cnt-mini-digits");
  const Evaluator evaluator(keys.public_key);
  const Ciphertext c = test_encryptor(keys).encrypt(true);
  check_phases([&](const Monitor& monitor) { static_cast<void>(evaluator.recrypt(c, monitor)); },
               {"expand", "selected sums", "selected sums", "adder"});
}

TEST_CASE("groups for digits that cannot work are refused", "[digits][parameters]") {
  const auto check_refused = [](const GroupText& text, const std::string& part) {
    CHECK_THROWS_MATCHES(text.parse(), Error, HasCode(ErrorCode::invalid_parameters, part));
  };
  const auto toy = [](const std::string& field, std::size_t value) {
    return GroupText("cnt-toy-digits").set(field, value);
  };
  check_refused(GroupText("cnt-toy-digits").without("digit_key_sets"), "'digit_key_sets'");
  check_refused(GroupText("cnt-toy-digits").without("noise_failure_bits"), "'noise_failure_bits'");
  check_refused(toy("digit_key_sets", 0), "between 1 and 2");
  check_refused(toy("digit_key_sets", 3), "between 1 and 2");
  check_refused(toy("noise_failure_bits", 257), "between 0 and 256");
  check_refused(toy("precision", 5), "precision = 5 must be 4 for adder = 'digits'");
  // With one set, with certainty, or with less luck, the noise is too much.
  check_refused(toy("digit_key_sets", 1), "the adder 'digits' leaves up to");
  check_refused(toy("noise_failure_bits", 0), "the adder 'digits' leaves up to");
  check_refused(toy("noise_failure_bits", 40), "the adder 'digits' leaves up to");
  check_refused(GroupText("cmnt-mini-paper").set("adder", "\"digits\""), "the form 'blocks'");
  // No key has as little noise.
  const ParameterSet quiet = toy("key_noise_percent", 35).head("name", "\"own\"").parse();
  CHECK_THROWS_MATCHES(KeyGenerator(quiet).generate(TestSeed{"quiet"}), Error,
                       HasCode(ErrorCode::invalid_parameters, "key_noise_percent = 35"));
}

TEST_CASE("files of digit keys have their second set, and no others have", "[digits][files]") {
  const TemporaryDirectory folder;
  for (const std::string& group : kMiniGroups) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    save(folder / "key", keys.public_key);
    const PublicKey loaded = load_public_key(folder / "key");
    CHECK(loaded.id() == keys.public_key.id());
    CHECK(squashed_part(loaded).sigma == squashed_part(keys.public_key).sigma);
    CHECK(squashed_part(loaded).digit_sigma == squashed_part(keys.public_key).digit_sigma);
    const Ciphertext c = test_encryptor(keys).encrypt(true);
    CHECK(loaded.context(open_backend())->recrypt(c, {}).value() ==
          keys.public_key.context(open_backend())->recrypt(c, {}).value());
  }
}

}  // namespace fhe::test
