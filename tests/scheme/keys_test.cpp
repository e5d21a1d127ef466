// SPDX-License-Identifier: Apache-2.0
// Keys, Encryptor and Decryptor: what they refuse, how a long call is watched and stopped, and the
// mark of test keys.
#include "libfhe/scheme/keys.hpp"

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

static_assert(!std::is_copy_constructible_v<SecretKey>);
static_assert(!std::is_copy_assignable_v<SecretKey>);
static_assert(std::is_nothrow_move_constructible_v<SecretKey>);

namespace {

// A report of progress.
struct Report {
  std::string phase;
  double fraction;
};

std::vector<Report> reports_of_generation(const KeyGenerator& generator) {
  std::vector<Report> reports;
  Monitor monitor;
  monitor.progress = [&reports](std::string_view phase, double fraction) {
    reports.push_back({std::string(phase), fraction});
  };
  static_cast<void>(generator.generate(TestSeed{"watched"}, monitor));
  return reports;
}

std::size_t count_starts(const std::vector<Report>& reports) {
  std::size_t starts = 0;
  for (const Report& report : reports) starts += report.fraction == 0.0 ? 1U : 0U;
  return starts;
}

// A monitor that asks to stop when a phase starts for the `wanted`-th time, from 0.
struct StopAtPhase {
  explicit StopAtPhase(std::size_t wanted) {
    monitor.stop = source.get_token();
    monitor.progress = [this, wanted](std::string_view, double fraction) {
      if (fraction == 0.0 && starts++ == wanted) source.request_stop();
    };
  }

  std::stop_source source;
  std::size_t starts = 0;
  Monitor monitor;
};

Ciphertext claiming(const Ciphertext& c, NoiseBound bound) {
  return {c.value(), bound, c.key()};
}

// Squares a ciphertext of refreshed noise until nothing is left of its bit.
Integer overflowed(const KeyPair& keys, const Ciphertext& c) {
  const auto key_context = keys.public_key.context(open_backend());
  Integer value = key_context->recrypt(c, {}).value();
  for (int i = 0; i < 6; ++i) value = key_context->ring().multiply(value, value);
  return value;
}

HasCode wrong_key() {
  return HasCode(ErrorCode::wrong_key);
}
HasCode too_noisy(const std::string& part = {}) {
  return HasCode(ErrorCode::noise_exceeded, part);
}

}  // namespace

TEST_CASE("a key is called by its group, its test mark and part of its digest", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  KeyId id = keys.public_key.id();
  CHECK(id.parameters == "cnt-mini");
  CHECK(id == keys.secret_key.id());
  CHECK(id.text() == "cnt-mini test key " + to_hex(id.digest, 4));
  id.test_key = false;
  CHECK(id.text() == "cnt-mini key " + to_hex(id.digest, 4));
}

TEST_CASE("a decryptor may outlive the key that it was made of", "[keys]") {
  const auto made = [] {
    const KeyPair keys = KeyGenerator(ParameterSet::named("cnt-mini")).generate();
    const Encryptor encryptor(keys.public_key);
    return std::pair(Decryptor(keys.secret_key), encryptor.encrypt({true, false, true}));
  }();
  CHECK(made.first.decrypt(made.second) == std::vector<bool>{true, false, true});
}

TEST_CASE("a decryptor refuses ciphertexts of other keys, naming both", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const KeyPair& others = test_keys("cnt-mini", "another key");
  const KeyPair& toys = test_keys("cnt-toy");
  const Decryptor decryptor(keys.secret_key);
  for (const KeyPair* foreign : {&others, &toys}) {
    const Ciphertext c = test_encryptor(*foreign).encrypt(true);
    const Ciphertext quiet = claiming(c, NoiseBound());
    CHECK_THROWS_MATCHES(decryptor.decrypt(quiet), Error,
                         HasCode(ErrorCode::wrong_key, keys.public_key.id().text()));
    CHECK_THROWS_MATCHES(decryptor.decrypt(quiet), Error,
                         HasCode(ErrorCode::wrong_key, foreign->public_key.id().text()));
    CHECK_THROWS_MATCHES(measure_noise(keys.secret_key, c), Error, wrong_key());
  }
  const Ciphertext foreign = test_encryptor(others).encrypt(true);
  CHECK_THROWS_MATCHES(decryptor.decrypt(foreign), Error, wrong_key());
}

TEST_CASE("a noisy ciphertext of another key is told to be of another key", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Ciphertext toy = test_encryptor(test_keys("cnt-toy")).encrypt(true);
  CHECK(toy.noise() > keys.secret_key.material().noise_rule().decrypt_limit);
  CHECK_THROWS_MATCHES(Decryptor(keys.secret_key).decrypt(toy), Error, wrong_key());
}

TEST_CASE("the test mark is part of a key's identity", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Ciphertext c = test_encryptor(keys).encrypt(true);
  KeyId unmarked = c.key();
  unmarked.test_key = false;
  CHECK_THROWS_MATCHES(Decryptor(keys.secret_key).decrypt({c.value(), c.noise(), unmarked}), Error,
                       wrong_key());
}

TEST_CASE("an encryption without its mask is not given out", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Encryptor forgetful(keys.public_key, std::make_shared<const ForgetfulBackend>(),
                            std::make_shared<TestRandom>("without masks"));
  // With noise of both signs: just above 0, and just below the modulus.
  for (int i = 0; i < 16; ++i) {
    CHECK_THROWS_MATCHES(forgetful.encrypt(i % 2 != 0), Error, HasCode(ErrorCode::wrong_result));
  }
}

TEST_CASE("a decryptor refuses values that are not below the modulus", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Decryptor decryptor(keys.secret_key);
  const Integer& x0 = keys.public_key.modulus();
  for (const Integer& value : {Integer(x0), Integer(x0 + 1), Integer(2 * x0), Integer(-1),
                               Integer(-x0), Integer(power_of_two(20000))}) {
    const Ciphertext c(value, NoiseBound(), keys.public_key.id());
    CHECK_THROWS_MATCHES(decryptor.decrypt(c), Error, HasCode(ErrorCode::invalid_argument));
    CHECK_THROWS_MATCHES(measure_noise(keys.secret_key, c), Error,
                         HasCode(ErrorCode::invalid_argument));
  }
  CHECK(decryptor.decrypt({Integer(x0 - 1), NoiseBound(), keys.public_key.id()}));
  CHECK_FALSE(decryptor.decrypt({Integer(0), NoiseBound(), keys.public_key.id()}));
}

TEST_CASE("a decryptor refuses a noise bound past the limit", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Decryptor decryptor(keys.secret_key);
  const NoiseBound limit = keys.secret_key.material().noise_rule().decrypt_limit;
  const Ciphertext c = test_encryptor(keys).encrypt(true);
  CHECK(decryptor.decrypt(claiming(c, limit)));
  const NoiseBound past = NoiseBound::from_units(limit.units() + 1);
  CHECK_THROWS_MATCHES(decryptor.decrypt(claiming(c, past)), Error, too_noisy("recrypt"));
  CHECK_THROWS_MATCHES(decryptor.decrypt(claiming(c, NoiseBound::from_units(1U << 31))), Error,
                       too_noisy());
}

TEST_CASE("a bound below the real noise is refused", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Decryptor decryptor(keys.secret_key);
  const Ciphertext c = test_encryptor(keys).encrypt(true);
  const NoiseBound real = measure_noise(keys.secret_key, c);
  CHECK(decryptor.decrypt(claiming(c, real)));
  const NoiseBound below = NoiseBound::from_units(real.units() - NoiseBound::kUnitsPerBit / 4);
  CHECK_THROWS_MATCHES(decryptor.decrypt(claiming(c, below)), Error, too_noisy("overflowed"));
  CHECK_THROWS_MATCHES(decryptor.decrypt(claiming(c, NoiseBound())), Error, too_noisy());
}

TEST_CASE("noise is compared with the claim exactly", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Decryptor decryptor(keys.secret_key);
  Operands random(3);
  for (const double bits : {0.0, 1.0, 63.0, 64.0, 64.25, 500.5, 570.125}) {
    CAPTURE(bits);
    const NoiseBound claim = NoiseBound::from_bits(bits);
    const Integer most = claim.magnitude();
    for (const int sign : {1, -1}) {
      const auto with = [&](const Integer& magnitude) {
        return claiming(with_noise(keys, sign * magnitude, random.bits(8000)), claim);
      };
      CHECK(decryptor.decrypt(with(most)) == (mpz_odd_p(most.get_mpz_t()) != 0));
      CHECK(decryptor.decrypt(with(most - 1)) == (mpz_even_p(most.get_mpz_t()) != 0));
      CHECK_THROWS_MATCHES(decryptor.decrypt(with(most + 1)), Error, too_noisy());
      CHECK_THROWS_MATCHES(decryptor.decrypt(with(2 * most)), Error, too_noisy());
    }
  }
}

TEST_CASE("an overflowed ciphertext that claims little noise is refused", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Decryptor decryptor(keys.secret_key);
  const Encryptor encryptor = test_encryptor(keys);
  const NoiseBound small = keys.public_key.context(open_backend())->refreshed_noise();
  for (int i = 0; i < 40; ++i) {
    const Ciphertext c(overflowed(keys, encryptor.encrypt(i % 2 != 0)), small,
                       keys.public_key.id());
    CHECK_THROWS_MATCHES(decryptor.decrypt(c), Error, too_noisy());
  }
}

// The residue of an overflowed ciphertext is random below p/2, so one in 2^k is k bits short.
TEST_CASE("an overflowed ciphertext passes only when its residue is small by chance", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Decryptor decryptor(keys.secret_key);
  const Encryptor encryptor = test_encryptor(keys);
  const NoiseBound claim =
      NoiseBound::from_bits(keys.secret_key.material().noise_rule().decrypt_limit.bits() - 5);
  int passed = 0;
  for (int i = 0; i < 100; ++i) {
    const Ciphertext c(overflowed(keys, encryptor.encrypt(i % 2 != 0)), claim,
                       keys.public_key.id());
    if (measure_noise(keys.secret_key, c) <= claim) {
      ++passed;
      CHECK_NOTHROW(decryptor.decrypt(c));
    } else {
      CHECK_THROWS_MATCHES(decryptor.decrypt(c), Error, too_noisy());
    }
  }
  CHECK(passed < 12);
}

TEST_CASE("many ciphertexts are decrypted in order, or none", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Decryptor decryptor(keys.secret_key);
  const std::vector<bool> bits{true, false, false, true, true};
  std::vector<Ciphertext> ciphertexts = test_encryptor(keys).encrypt(bits);
  CHECK(decryptor.decrypt(ciphertexts) == bits);
  CHECK(decryptor.decrypt(std::vector<Ciphertext>{}).empty());
  ciphertexts[3] = claiming(ciphertexts[3], NoiseBound());
  CHECK_THROWS_MATCHES(decryptor.decrypt(ciphertexts), Error, too_noisy());
}

TEST_CASE("a secret key that was moved still decrypts", "[keys]") {
  KeyPair keys = KeyGenerator(ParameterSet::named("cnt-mini")).generate(TestSeed{"moved"});
  const Ciphertext c = test_encryptor(keys).encrypt(true);
  const SecretKey moved = std::move(keys.secret_key);
  CHECK(Decryptor(moved).decrypt(c));
}

TEST_CASE("the measured noise is the residue, rounded up by at most two units", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  Operands random(1);
  for (const std::size_t bits : {0U, 1U, 2U, 60U, 200U, 500U, 570U}) {
    for (const int sign : {1, -1}) {
      const Integer noise = sign * power_of_two(bits);
      const NoiseBound measured =
          measure_noise(keys.secret_key, with_noise(keys, noise, random.bits(8000)));
      const auto exact = static_cast<std::uint32_t>(NoiseBound::kUnitsPerBit * bits);
      CHECK(measured.units() >= exact);
      CHECK(measured.units() <= exact + 2);
    }
  }
  CHECK(measure_noise(keys.secret_key, with_noise(keys, 0, 12345)) == NoiseBound());
}

TEST_CASE("test randomness is for test keys only", "[keys]") {
  const KeyPair real = KeyGenerator(ParameterSet::named("cnt-mini")).generate();
  const auto test_random = std::make_shared<TestRandom>("x");
  CHECK_FALSE(real.public_key.id().test_key);
  CHECK_THROWS_MATCHES(Encryptor(real.public_key, open_backend(), test_random), Error,
                       HasCode(ErrorCode::invalid_argument, "test randomness"));
  CHECK_NOTHROW(Encryptor(test_keys("cnt-mini").public_key, open_backend(), test_random));
  const auto system = std::make_shared<SystemRandom>();
  CHECK_NOTHROW(Encryptor(test_keys("cnt-mini").public_key, open_backend(), system));
  const Encryptor encryptor(real.public_key, open_backend(), system);
  CHECK(Decryptor(real.secret_key).decrypt(encryptor.encrypt(true)));
}

TEST_CASE("the test mark goes wherever a test key goes", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  CHECK(keys.public_key.id().test_key);
  CHECK(keys.secret_key.id().test_key);
  const Encryptor encryptor(keys.public_key);  // real randomness does not lift the mark
  const Evaluator evaluator(keys.public_key);
  const Ciphertext c = encryptor.encrypt(true);
  CHECK(c.key().test_key);
  CHECK(evaluator.recrypt(c).key().test_key);
  CHECK(evaluator.and_gate(c, c).key().test_key);
  CHECK(evaluator.constant(true).key().test_key);

  const TemporaryDirectory directory;
  save(directory / "public", keys.public_key);
  save(directory / "secret", keys.secret_key);
  save(directory / "ciphertexts", {c}, keys.public_key);
  for (const std::string file : {"public", "secret", "ciphertexts"}) {
    CHECK(summarize(directory / file).header.test_key);
  }
  CHECK(load_public_key(directory / "public").id().test_key);
  CHECK(load_secret_key(directory / "secret").id().test_key);
  CHECK(load_ciphertexts(directory / "ciphertexts", keys.public_key).front().key().test_key);
}

TEST_CASE("a refusal does not tell how much noise there is", "[keys]") {
  for (const std::string group : {"cnt-mini", "cmnt-mini", "gh-mini"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const Decryptor decryptor(keys.secret_key);
    const auto refusal = [&](const Integer& value) -> std::string {
      try {
        static_cast<void>(decryptor.decrypt({value, NoiseBound(), keys.public_key.id()}));
      } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::noise_exceeded);
        return error.what();
      }
      return {};
    };
    // Numbers below p are their own noise: that is how p was found.
    std::set<std::string> refusals;
    for (std::size_t bits = 2; bits < bit_length(keys.public_key.modulus()) - 1; bits += 7) {
      refusals.insert(refusal(power_of_two(bits) + 1));
    }
    refusals.erase("");  // where nothing was refused
    REQUIRE(refusals.size() == 1);
    CHECK(refusals.begin()->find_first_of("0123456789") == std::string::npos);
  }
}

TEST_CASE("a refusal says which ciphertext of many it is about", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  std::vector<Ciphertext> many = test_encryptor(keys).encrypt({true, false, true});
  const auto decrypt = [&] { return Decryptor(keys.secret_key).decrypt(many); };
  CHECK(decrypt() == std::vector<bool>{true, false, true});
  many[1] = {keys.public_key.modulus() / 3, NoiseBound(), keys.public_key.id()};
  CHECK_THROWS_MATCHES(decrypt(), Error,
                       HasCode(ErrorCode::noise_exceeded, "ciphertext 1 of 3, counted from 0: "));
  many[0] = {many[0].value(), NoiseBound::from_bits(5000), keys.public_key.id()};
  CHECK_THROWS_MATCHES(decrypt(), Error, HasCode(ErrorCode::noise_exceeded, "ciphertext 0 of 3"));
}

TEST_CASE("the decryption of many ciphertexts can be stopped", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const std::vector<Ciphertext> many(3, test_encryptor(keys).encrypt(true));
  std::stop_source source;
  source.request_stop();
  const Monitor monitor{.stop = source.get_token(), .progress = {}};
  CHECK_THROWS_MATCHES(Decryptor(keys.secret_key).decrypt(many, monitor), Error,
                       HasCode(ErrorCode::stopped));
}

TEST_CASE("a key generator refuses groups that only give sizes", "[keys]") {
  for (const std::string& name : ParameterSet::names()) {
    CAPTURE(name);
    const ParameterSet group = ParameterSet::named(name);
    if (group.makes_keys()) {
      CHECK_NOTHROW(KeyGenerator(group));
    } else {
      CHECK_THROWS_MATCHES(KeyGenerator(group), Error,
                           HasCode(ErrorCode::invalid_parameters, name));
    }
  }
}

TEST_CASE("key generation reports named phases from 0 to 1", "[keys]") {
  const KeyGenerator generator(ParameterSet::named("cnt-mini"));
  const std::vector<Report> reports = reports_of_generation(generator);
  std::set<std::string> phases;
  std::set<std::string> finished;
  for (const Report& report : reports) {
    CHECK_FALSE(report.phase.empty());
    CHECK(report.fraction >= 0.0);
    CHECK(report.fraction <= 1.0);
    phases.insert(report.phase);
    if (report.fraction == 1.0) finished.insert(report.phase);
  }
  CHECK(phases.size() >= 2);
  CHECK(finished == phases);
}

TEST_CASE("key generation can be stopped in every phase", "[keys]") {
  for (const std::string group : {"cnt-mini", "cnt-toy", "gh-mini"}) {
    const KeyGenerator generator(ParameterSet::named(group));
    const std::size_t phases = count_starts(reports_of_generation(generator));
    CHECK(phases >= 3);
    for (std::size_t phase = 0; phase < phases; ++phase) {
      CAPTURE(group, phase);
      const StopAtPhase stop(phase);
      CHECK_THROWS_MATCHES(generator.generate(TestSeed{"watched"}, stop.monitor), Error,
                           HasCode(ErrorCode::stopped));
      CHECK_THROWS_MATCHES(generator.generate(StopAtPhase(phase).monitor), Error,
                           HasCode(ErrorCode::stopped));
    }
  }
}

TEST_CASE("nothing starts when a stop was requested before", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Encryptor encryptor = test_encryptor(keys);
  const Evaluator evaluator(keys.public_key);
  const Ciphertext c = encryptor.encrypt(true);
  const Monitor stopped = stopped_monitor();
  const HasCode is_stopped(ErrorCode::stopped);
  CHECK_THROWS_MATCHES(KeyGenerator(ParameterSet::named("cnt-mini")).generate(stopped), Error,
                       is_stopped);
  CHECK_THROWS_MATCHES(encryptor.encrypt(true, {}, stopped), Error, is_stopped);
  CHECK_THROWS_MATCHES(encryptor.encrypt(true, {.sparse = true}, stopped), Error, is_stopped);
  CHECK_THROWS_MATCHES(encryptor.encrypt(std::vector<bool>(40), {}, stopped), Error, is_stopped);
  CHECK_THROWS_MATCHES(evaluator.recrypt(c, stopped), Error, is_stopped);
}

TEST_CASE("an encryptor works on after a stopped call", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Encryptor encryptor = test_encryptor(keys);
  CHECK_THROWS_AS(encryptor.encrypt(true, {}, StopAtPhase(0).monitor), Error);
  CHECK(Decryptor(keys.secret_key).decrypt(encryptor.encrypt(true)));
}

TEST_CASE("ciphertexts of 0 and of 1 look alike without the key", "[keys]") {
  for (const std::string group : {"cnt-mini", "cmnt-mini", "gh-mini"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const Encryptor encryptor = test_encryptor(keys);
    for (const bool bit : {false, true}) {
      std::vector<std::size_t> parities(2);
      std::vector<std::size_t> sixteenths(16);
      for (const Ciphertext& c : encryptor.encrypt(std::vector<bool>(1600, bit))) {
        ++parities[mpz_odd_p(c.value().get_mpz_t()) != 0 ? 1 : 0];
        ++sixteenths[Integer(16 * c.value() / keys.public_key.modulus()).get_ui()];
      }
      CHECK(chi_square(parities) < chi_square_limit(2));
      CHECK(chi_square(sixteenths) < chi_square_limit(16));
    }
  }
}

}  // namespace fhe::test
