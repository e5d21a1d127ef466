// SPDX-License-Identifier: Apache-2.0
// Every way in which a key of numbers in slots can be wrong that a check is there to find.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libfhe/random/prime_search.hpp"
#include "libfhe/scheme/she/check.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/scheme/she/secret_slots.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_findings.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

using Corrections = std::vector<Integer>;

she::SecretKey secret_key(const std::string& group, const std::string& seed = "check") {
  return she::KeyGenerator(ParameterSet::named(group)).generate(TestSeed{seed});
}

she::KeyPair tally_pair(const ParameterSet& group, const std::string& seed = "check") {
  return she::KeyGenerator(group).generate_pair(TestSeed{seed});
}

// The key with another prime in a slot, and the id of its primes.
she::SecretKey with_prime(const she::SecretKey& key, std::size_t slot, const Integer& prime) {
  const auto old = key.contents()->primes();
  SecretIntegers primes(old.size());
  for (std::size_t j = 0; j < old.size(); ++j) primes[j] = j == slot ? prime : old[j];
  auto contents =
      std::make_shared<const she::SecretSlots>(key.group(), std::move(primes), Monitor());
  KeyId id{key.group().name(), contents->digest(), true};
  return {std::move(id), std::move(contents)};
}

// A product of two primes, of so many bits.
Integer composite(std::size_t bits) {
  TestRandom random("composite");
  for (;;) {
    Integer product = uniform_prime(random, bits / 2) * uniform_prime(random, bits - bits / 2);
    if (bit_length(product) == bits) return product;
  }
}

she::PublicKey with_corrections(const she::PublicKey& key, Corrections corrections) {
  return {key.group(), key.id(), key.seed(), std::move(corrections)};
}

// The key with so much more in correction `which`.
she::PublicKey with_more(const she::PublicKey& key, std::size_t which, const Integer& more) {
  Corrections corrections = key.corrections();
  corrections.at(which) += more;
  return with_corrections(key, std::move(corrections));
}

void check_sound(const std::string& name) {
  CAPTURE(name);
  const ParameterSet group = ParameterSet::named(name);
  if (she::Parameters(group).has_public_keys()) {
    const she::KeyPair keys = tally_pair(group);
    CHECK(failures(she::check_key(keys.public_key)).empty());
    CHECK(failures(she::check_key(keys.secret_key)).empty());
    CHECK(failures(she::check_key_pair(keys.public_key, keys.secret_key)).empty());
  } else {
    const std::vector<KeyFinding> findings = she::check_key(secret_key(name));
    CHECK(failures(findings).empty());
    CHECK(findings.size() >= 5);
  }
}

}  // namespace

TEST_CASE("keys of slots as they are made pass every check", "[check][slots]") {
  for (const std::string name : {"she-mini", "she-128-d0", "she-128-tally"}) check_sound(name);
  const she::KeyPair tiny = tally_pair(tiny_tally().parse());
  CHECK(failures(she::check_key(tiny.public_key)).empty());
  CHECK(failures(she::check_key_pair(tiny.public_key, tiny.secret_key)).empty());
  // The least that a group can be made for: sums of no more than one.
  const ParameterSet single = tiny_tally().head("name", "\"single\"").set("additions", "0").parse();
  const she::KeyPair one = tally_pair(single);
  CHECK(failures(she::check_key_pair(one.public_key, one.secret_key)).empty());
}

TEST_CASE("keys of every group of slots pass every check", "[check][slots][long]") {
  for (const std::string& name : ParameterSet::names()) {
    if (ParameterSet::named(name).purpose() == GroupPurpose::slots) check_sound(name);
  }
}

TEST_CASE("a secret prime that is none is found", "[check][slots]") {
  const she::SecretKey key = secret_key("she-mini");
  const std::size_t eta = she::Parameters(key.group()).eta;
  const she::SecretKey faulty = with_prime(key, 2, composite(eta));
  CHECK(failures(she::check_key(faulty)) == "secret primes; ");
  CHECK(she::check_key(faulty).front().detail == "1 of 5 are not primes of 60 bits");
  // No reader can know, so that the check has to.
  const TemporaryDirectory folder;
  she::save(folder / "faulty.fhe", faulty);
  CHECK(failures(she::check_key(she::load_secret_key(folder / "faulty.fhe"))) == "secret primes; ");

  TestRandom random("short");
  const she::SecretKey short_prime = with_prime(key, 0, uniform_prime(random, eta - 1));
  CHECK_THAT(failures(she::check_key(short_prime)), Catch::Matchers::StartsWith("secret primes; "));
}

TEST_CASE("two equal secret primes are found", "[check][slots]") {
  const she::SecretKey key = secret_key("she-mini");
  const she::SecretKey faulty = with_prime(key, 3, key.contents()->primes()[1]);
  CHECK_THAT(failures(she::check_key(faulty)), Catch::Matchers::StartsWith("different primes; "));
}

TEST_CASE("a secret key of slots with the id of another is found", "[check][slots]") {
  const she::SecretKey key = secret_key("she-mini");
  const she::SecretKey other = secret_key("she-mini", "another key");
  CHECK(failures(she::check_key(she::SecretKey(other.id(), key.contents()))) == "key id; ");
}

TEST_CASE("tally keys of two pairs are found to be no pair, and nothing more is said",
          "[check][slots]") {
  const ParameterSet group = tiny_tally().parse();
  const she::KeyPair keys = tally_pair(group);
  const she::KeyPair other = tally_pair(group, "another pair");
  const auto findings = she::check_key_pair(other.public_key, keys.secret_key);
  REQUIRE(findings.size() == 1);
  CHECK(failures(findings) == "one pair; ");
  CHECK_THAT(findings.front().detail,
             Catch::Matchers::ContainsSubstring(keys.secret_key.id().text()));
  // One that says that it is the secret key of the pair.
  const she::SecretKey posing(other.public_key.id(), keys.secret_key.contents());
  CHECK(failures(she::check_key(posing)).empty());
  CHECK(failures(she::check_key_pair(other.public_key, posing)) ==
        "public elements; encryption; sum; ");
}

TEST_CASE("altered values of a public key of slots are found", "[check][slots]") {
  const she::KeyPair keys = tally_pair(tiny_tally().parse());
  const she::Parameters p(keys.public_key.group());
  const auto found_in_pair = [&](const Integer& more) {
    const she::PublicKey forged = with_more(keys.public_key, 5, more);
    CHECK(failures(she::check_key(forged)) == "key id; ");
    return failures(she::check_key_pair(forged, keys.secret_key));
  };
  using Catch::Matchers::StartsWith;
  CHECK_THAT(found_in_pair(1), StartsWith("public elements; "));  // no 0
  CHECK_THAT(found_in_pair(Integer(p.plaintext) * power_of_two(p.rho + 1)),
             StartsWith("public elements; "));  // more noise than others
  CHECK(failures(she::check_key_pair(
                     with_more(keys.public_key, 5, keys.secret_key.contents()->product()),
                     keys.secret_key))
            .empty());  // another element of the same key
}

TEST_CASE("corrections that no public key of the group has are found", "[check][slots]") {
  const she::KeyPair keys = tally_pair(tiny_tally().parse());
  const Corrections good = keys.public_key.corrections();
  const auto found = [&](const auto& alter) {
    Corrections corrections = good;
    alter(corrections);
    return failures(she::check_key(with_corrections(keys.public_key, std::move(corrections))));
  };
  CHECK(found([](Corrections&) {}).empty());
  CHECK(found([](Corrections& all) { all.pop_back(); }) == "corrections; ");
  CHECK(found([](Corrections& all) { all[1] = all[2]; }) == "corrections; ");
  CHECK(found([](Corrections& all) { all[1] = -1; }) == "corrections; ");
  const std::size_t bits = she::Parameters(keys.public_key.group()).correction_bits();
  CHECK(found([&](Corrections& all) { all[1] = power_of_two(bits); }) == "corrections; ");
}

TEST_CASE("encryptions that would hide nothing are a finding", "[check][slots]") {
  const she::KeyPair keys = tally_pair(tiny_tally().parse());
  CHECK(failures(she::check_key(keys.public_key, std::make_shared<ForgetfulBackend>())) ==
        "trial encryption; ");
}

TEST_CASE("a check of a key of slots can be stopped", "[check][slots]") {
  std::stop_source source;
  source.request_stop();
  CHECK_THROWS_MATCHES(
      she::check_key(secret_key("she-mini"), {.stop = source.get_token(), .progress = {}}), Error,
      HasCode(ErrorCode::stopped));
}

}  // namespace fhe::test
