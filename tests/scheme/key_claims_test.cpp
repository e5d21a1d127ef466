// SPDX-License-Identifier: Apache-2.0
// What a key claims: no recryption leaves more noise than it says, whatever the group states, and
// what key generation delivers can be read. Key generation ends, whatever the randomness.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "libfhe/scheme/cmnt/public_material.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/gh/encryption.hpp"
#include "libfhe/scheme/gh/key_generation.hpp"
#include "libfhe/scheme/gh/lattice.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

KeyPair made(const ParameterSet& group, const std::string& seed) {
  return KeyGenerator(group).generate(TestSeed{seed});
}

GroupText own_group(const std::string& base) {
  return GroupText(base).head("name", "\"own\"");
}

// The noise of real recryptions under a key with its group's own adder, in bits; none is above what
// the ciphertext claims and none has the wrong bit.
NoiseTrials real_recryptions(const KeyPair& keys, std::size_t count) {
  const auto key = keys.public_key.context(open_backend());
  const Encryptor encryptor = test_encryptor(keys, "claims");
  std::vector<double> bits;
  for (std::size_t i = 0; i < count; ++i) {
    const Ciphertext refreshed = key->recrypt(encryptor.encrypt(i % 2 != 0), {});
    const NoiseBound noise = measure_noise(keys.secret_key, refreshed);
    CHECK(noise <= refreshed.noise());
    CHECK(Decryptor(keys.secret_key).decrypt(refreshed) == (i % 2 != 0));
    bits.push_back(noise.bits());
  }
  return NoiseTrials(bits);
}

// The noise terms of the encrypted key bits of a key of CNT or CMNT.
template <class DghvPublicMaterial>
SecretIntegers key_bit_noise(const DghvPublicMaterial& open,
                             const dghv::DghvSecretMaterial& secret) {
  const std::vector<Integer> sigma = encrypted_key_bits(open);
  SecretIntegers noise(sigma.size());
  for (std::size_t i = 0; i < sigma.size(); ++i) noise[i] = centered(sigma[i], secret.p());
  return noise;
}

// Whether two means agree, within what their numbers of samples allow.
void check_same_mean(const NoiseTrials& a, const NoiseTrials& b, double offset = 0) {
  CAPTURE(a.text(), b.text());
  const double error = std::hypot(a.deviation() / std::sqrt(static_cast<double>(a.count())),
                                  b.deviation() / std::sqrt(static_cast<double>(b.count())));
  CHECK(std::abs(a.mean() - b.mean() - offset) < 4.5 * error);
}

// Keys of a group of the DGHV family and `trials` recryptions under each with every adder: none is
// above its claim. More trials than key generation makes, so most of them are new to the key.
template <class Parameters>
void check_dghv_claims(const std::string& group, std::size_t keys, std::size_t trials) {
  CAPTURE(group);
  const Parameters parameters(ParameterSet::named(group));
  TestRandom random("claims of " + group);
  for (std::size_t i = 0; i < keys; ++i) {
    const auto ones = dghv::draw_ones(parameters, random);
    const SecretIntegers noise = dghv::draw_key_bit_noise(parameters, ones, random);
    for (const std::string& adder : AdderProgram::names()) {
      // The claims of the others of product form are proven ones, 60 bits and more away.
      const bool own = adder == parameters.adder;
      const NoiseTrials left = dghv::trial_recryptions(
          parameters, noise, parameters.adder_program(adder), own ? trials : 8);
      CAPTURE(i, adder, left.text());
      CHECK(left.largest() <= parameters.refreshed_noise(adder).bits());
    }
  }
}

// A GH key as far as its noise goes.
struct GhNoise {
  gh::Lattice lattice;
  gh::ChosenElements chosen;
  std::vector<gh::NoisePolynomial> noise;
};

GhNoise draw_gh_noise(const gh::Parameters& p, SecretRandom& random) {
  gh::Lattice lattice = gh::generate_lattice(p, open_backend(), random, {});
  gh::ChosenElements chosen = gh::draw_chosen_elements(p, random);
  return {std::move(lattice), std::move(chosen), gh::draw_noise(p, p.s * p.c, random)};
}

std::vector<gh::Trials> trials_of(const gh::Parameters& p, const GhNoise& key,
                                  const std::vector<gh::TrialPlan>& plans) {
  return gh::trial_recryptions(p, key.lattice.v, key.noise, key.chosen, plans, {});
}

// The same for GH: recrypted ciphertexts and products of two under every adder, as decryptors
// measure them. Keys that key generation would draw again are passed over; they are few.
void check_gh_claims(const std::string& group, std::size_t keys, std::size_t trials) {
  CAPTURE(group);
  const gh::Parameters p(ParameterSet::named(group));
  TestRandom random("claims of " + group);
  std::vector<gh::TrialPlan> plans;
  for (const std::string& adder : AdderProgram::names()) plans.push_back({adder, trials});
  std::size_t passed_over = 0;
  for (std::size_t i = 0; i < keys; ++i) {
    const GhNoise key = draw_gh_noise(p, random);
    if (gh::exceeded_claim(p, trials_of(p, key, gh::usual_trials(p)))) {
      ++passed_over;
      continue;
    }
    for (const gh::Trials& left : trials_of(p, key, plans)) {
      const NoiseBound claim = p.refreshed_noise_bound(p.adder_program(left.adder));
      CAPTURE(i, left.adder, left.norm.text(), left.measured.text(), left.product.text());
      // The norm is not what is promised (parameters.hpp): one in thousands may go past the claim.
      CHECK(left.norm.mean() + NoiseTrials::kDeviations * left.norm.deviation() <= claim.bits());
      CHECK(left.measured.largest() <= claim.bits());
      CHECK(left.product.largest() <= p.noise_rule().product(claim, claim).bits());
    }
  }
  CHECK(passed_over <= keys / 20);
}

// The number that the message of a refusal says to state.
std::size_t advised(const ParameterSet& group, const std::string& stated) {
  try {
    static_cast<void>(made(group, "advice"));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid_parameters);
    const std::string message = error.what();
    CAPTURE(message);
    CHECK(message.find("refreshed_noise = " + stated + " is too little") != std::string::npos);
    CHECK(message.find("trial recryptions") != std::string::npos);
    std::smatch number;
    REQUIRE(std::regex_search(message, number, std::regex("state at least ([0-9]+)")));
    return std::stoul(number[1]);
  }
  FAIL("a group whose claim is exceeded was accepted");
  return 0;
}

// Gives one byte, again and again.
class StuckRandom final : public SecretRandom {
 public:
  explicit StuckRandom(std::byte value) : value_(value) {}
  void fill(std::span<std::byte> out) override { std::ranges::fill(out, value_); }
  [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t) const override {
    return std::make_unique<StuckRandom>(value_);
  }
  [[nodiscard]] bool is_test() const override { return true; }

 private:
  std::byte value_;
};

}  // namespace

TEST_CASE("trials are summed up by mean, deviation and the bound that they keep", "[claims]") {
  const NoiseTrials trials({10, 14, 10, 14});
  CHECK(trials.count() == 4);
  CHECK(trials.mean() == 12);
  CHECK(trials.deviation() == 2);
  CHECK(trials.largest() == 14);
  CHECK(trials.least_bound() == 20);
  CHECK(trials.keep(20));
  CHECK_FALSE(trials.keep(19.9));
  CHECK(NoiseTrials({5}).keep(5));
  const double overflown = std::numeric_limits<double>::infinity();
  CHECK_FALSE(NoiseTrials({1, overflown}).keep(1e9));
  CHECK_FALSE(NoiseTrials({1, overflown - overflown}).keep(1e9));
}

TEST_CASE("trial recryptions leave the noise of real ones", "[claims]") {
  const KeyPair& blocks = test_keys("cnt-mini");
  const cnt::Parameters& cnt = cnt_part(blocks.public_key).parameters();
  check_same_mean(dghv::trial_recryptions(
                      cnt, key_bit_noise(cnt_part(blocks.public_key), dghv_part(blocks.secret_key)),
                      cnt.adder_program(), 200),
                  real_recryptions(blocks, 40));
  const KeyPair& product = test_keys("cmnt-mini-paper");
  const cmnt::Parameters& cmnt = cmnt_part(product.public_key).parameters();
  check_same_mean(
      dghv::trial_recryptions(
          cmnt, key_bit_noise(cmnt_part(product.public_key), dghv_part(product.secret_key)),
          cmnt.adder_program(), 200),
      real_recryptions(product, 40));
}

// Six recryptions under each of a few keys, since the polynomials of a finished key are forgotten:
// means over keys agree. A coefficient of u/v, against four times the quadratic mean of all: with z
// normal, log2 |z| has the mean -0.916.
TEST_CASE("trial recryptions of GH leave the noise of real ones", "[claims]") {
  const gh::Parameters p(ParameterSet::named("gh-mini"));
  TestRandom random("trials");
  std::vector<double> trials;
  std::vector<double> real;
  for (int key = 0; key < 15; ++key) {
    const std::string seed = "trials " + std::to_string(key);
    real.push_back(real_recryptions(made(ParameterSet::named("gh-mini"), seed), 6).mean());
    const GhNoise noise = draw_gh_noise(p, random);
    trials.push_back(trials_of(p, noise, {{p.adder, 32}}).front().measured.mean());
  }
  check_same_mean(NoiseTrials(trials), NoiseTrials(real), 2 + 0.916);
}

TEST_CASE("keys that left more noise than they claim are drawn again", "[claims][cmnt]") {
  // 136 and 5 of 300 recryptions were above 540 bits with the first draw of these.
  for (const std::string seed : {"k4051", "k3734"}) {
    CAPTURE(seed);
    const KeyPair keys = made(ParameterSet::named("cmnt-toy-paper"), seed);
    const cmnt::Parameters& parameters = cmnt_part(keys.public_key).parameters();
    const SecretIntegers noise =
        key_bit_noise(cmnt_part(keys.public_key), dghv_part(keys.secret_key));
    const NoiseTrials trials =
        dghv::trial_recryptions(parameters, noise, parameters.adder_program(), 300);
    CHECK(trials.keep(parameters.refreshed_noise("").bits()));
    static_cast<void>(real_recryptions(keys, 8));
  }
}

TEST_CASE("a stated noise that recryption exceeds is refused, with what to state", "[claims]") {
  const auto product = [](std::size_t noise) {
    return own_group("cmnt-mini-paper").set("refreshed_noise", noise).parse();
  };
  CHECK_NOTHROW(made(product(advised(product(100), "100")), "advice"));
  const auto gh = [](std::size_t noise) {
    return own_group("gh-mini").set("refreshed_noise", noise).parse();
  };
  CHECK_NOTHROW(made(gh(advised(gh(20), "20")), "advice"));
}

TEST_CASE("GH keys whose key bits could be told are drawn again or refused", "[claims][gh]") {
  const TemporaryDirectory directory;
  for (const std::size_t h : {1U, 2U}) {
    CHECK_THROWS_MATCHES(
        made(own_group("gh-mini").set("h", h).parse(), "few terms"), Error,
        HasCode(ErrorCode::invalid_parameters, "h = " + std::to_string(h) + " nonzero"));
  }
  const ParameterSet three = own_group("gh-mini").set("h", 3).parse();
  for (int i = 0; i < 12; ++i) {
    save(directory / "key", made(three, std::to_string(i)).public_key);
    CHECK_NOTHROW(load_public_key(directory / "key"));
  }
}

TEST_CASE("a group that readers would refuse makes no keys", "[claims]") {
  const ParameterSet posing = GroupText("cnt-mini").set("alpha", 550).parse();
  CHECK_THROWS_MATCHES(
      KeyGenerator(posing), Error,
      HasCode(ErrorCode::invalid_parameters, "it claims to be cnt-mini, but its parameters are"));
  CHECK_THROWS_MATCHES(KeyGenerator(posing), Error,
                       HasCode(ErrorCode::invalid_parameters, "needs a name of its own"));
  CHECK_NOTHROW(KeyGenerator(own_group("cnt-mini").set("alpha", 550).parse()));
  CHECK_NOTHROW(KeyGenerator(GroupText("cnt-mini").parse()));
  for (const std::string& name : ParameterSet::names()) {
    CHECK_FALSE(ParameterSet::named(name).flaw());
  }
}

TEST_CASE("keys have no flaw, new or loaded", "[claims]") {
  const TemporaryDirectory directory;
  for (const std::string group : {"cnt-mini", "cmnt-mini", "cmnt-mini-paper", "gh-mini"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    CHECK_FALSE(keys.public_key.material().flaw());
    CHECK_FALSE(keys.secret_key.material().flaw());
    save(directory / "public", keys.public_key);
    save(directory / "secret", keys.secret_key);
    CHECK_FALSE(load_public_key(directory / "public").material().flaw());
    CHECK_FALSE(load_secret_key(directory / "secret").material().flaw());
  }
}

TEST_CASE("impossible values are flaws of a key in memory too", "[claims]") {
  const gh::GhPublicMaterial& gh = gh_part(test_keys("gh-mini").public_key);
  const auto with_eta = [&gh](const Integer& value) {
    gh::SquashedKey squashed = gh.squashed();
    squashed.eta.back() = value;
    return gh::GhPublicMaterial(gh.parameters(), gh.modulus(), gh.r(), squashed).flaw();
  };
  CHECK_FALSE(with_eta(gh.squashed().eta.back()));
  for (const Integer& value : {Integer(0), Integer(1), gh.squashed().eta.front(), gh.modulus()}) {
    CHECK(with_eta(value));
  }
  CHECK(gh::GhPublicMaterial(gh.parameters(), gh.modulus(), gh.r() + 1, gh.squashed()).flaw());
  CHECK(gh::GhPublicMaterial(gh.parameters(), gh.modulus() + 1, gh.r(), gh.squashed()).flaw());

  const cnt::CntPublicMaterial& cnt = cnt_part(test_keys("cnt-mini").public_key);
  const auto with_modulus = [&cnt](const Integer& x0) {
    return cnt::CntPublicMaterial(cnt.parameters(), x0, cnt.delta(), cnt.squashed()).flaw();
  };
  CHECK_FALSE(with_modulus(cnt.modulus()));
  const std::size_t gamma = cnt.parameters().gamma;
  for (const unsigned long factor : {2UL, 3UL, 4093UL}) {
    const Integer multiple = (power_of_two(gamma) - 1) / factor * factor;
    CHECK(with_modulus(multiple));
  }
  CHECK(with_modulus(cnt.modulus() >> 1));
  CHECK(with_modulus(-cnt.modulus()));
  const cnt::CntPublicMaterial& special = cnt_part(test_keys("cnt-mini-special").public_key);
  REQUIRE(special.parameters().gamma == gamma);
  CHECK_FALSE(special.flaw());
  CHECK(cnt::CntPublicMaterial(special.parameters(), cnt.modulus(), special.delta(),
                               special.squashed())
            .flaw());  // a modulus far from 2^gamma
  std::vector<Integer> fewer = cnt.delta();
  fewer.pop_back();
  CHECK(cnt::CntPublicMaterial(cnt.parameters(), cnt.modulus(), fewer, cnt.squashed()).flaw());
  std::vector<Integer> longer = cnt.delta();
  longer.back() = power_of_two(cnt.parameters().correction_bits());
  CHECK(cnt::CntPublicMaterial(cnt.parameters(), cnt.modulus(), longer, cnt.squashed()).flaw());
}

TEST_CASE("with stuck randomness key generation ends in an error", "[claims]") {
  for (const std::byte value : {std::byte{0}, std::byte{0xff}, std::byte{0x5a}}) {
    for (const std::string group : {"cnt-mini", "cmnt-mini", "cmnt-mini-paper", "gh-mini"}) {
      CAPTURE(group);
      const ParameterSet parameters = ParameterSet::named(group);
      StuckRandom random(value);
      CHECK_THROWS_AS(scheme_named(parameters.scheme())
                          .generate(parameters, {}, open_backend(), {}, random, {}),
                      Error);
    }
  }
  StuckRandom ones(std::byte{0xff});
  const HasCode stuck(ErrorCode::randomness, "stuck");
  CHECK_THROWS_MATCHES(uniform_below(ones, power_of_two(70) - 1), Error, stuck);
  CHECK_THROWS_MATCHES(uniform_centered(ones, 20), Error, stuck);
  StuckRandom zeros(std::byte{0});
  CHECK_THROWS_MATCHES(uniform_index(zeros, 3), Error, stuck);
  CHECK_THROWS_MATCHES(distinct_positions(zeros, 2, 3), Error, stuck);
}

TEST_CASE("no recryption of a sample of keys leaves more than is claimed", "[claims]") {
  check_dghv_claims<cnt::Parameters>("cnt-mini", 20, 20);
  check_dghv_claims<cnt::Parameters>("cnt-toy", 4, 20);
  check_dghv_claims<cmnt::Parameters>("cmnt-mini", 20, 20);
  check_dghv_claims<cmnt::Parameters>("cmnt-mini-paper", 10, 400);
  check_dghv_claims<cmnt::Parameters>("cmnt-toy-paper", 10, 400);
  check_gh_claims("gh-mini", 10, 20);
}

TEST_CASE("no recryption of thousands of keys leaves more than is claimed", "[claims][long]") {
  check_dghv_claims<cnt::Parameters>("cnt-mini", 1000, 50);
  check_dghv_claims<cnt::Parameters>("cnt-toy", 500, 50);
  check_dghv_claims<cmnt::Parameters>("cmnt-mini", 1000, 50);
  check_dghv_claims<cmnt::Parameters>("cmnt-toy", 500, 50);
  check_dghv_claims<cmnt::Parameters>("cmnt-mini-paper", 1000, 600);
  check_dghv_claims<cmnt::Parameters>("cmnt-toy-paper", 1000, 600);
  check_gh_claims("gh-mini", 1000, 50);
  check_gh_claims("gh-512", 20, 60);
}

}  // namespace fhe::test
