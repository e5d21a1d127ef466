// SPDX-License-Identifier: Apache-2.0
// `fhe attack`, run as a user would.
#include <string>

#include <nlohmann/json.hpp>

#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/security.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

// A sandbox with a test key of a group in keys/.
class Laboratory : public Sandbox {
 public:
  explicit Laboratory(const std::string& group) {
    REQUIRE(run({"keygen", "--params", group, "--test-seed", "laboratory", "--out", "keys"})
                .exit_code == 0);
  }

  [[nodiscard]] Outcome run(const Arguments& arguments) const {
    return Process(*this, Launch{arguments}).wait();
  }

  [[nodiscard]] Outcome attack(Arguments more) const {
    more.insert(more.begin(), "attack");
    return run(more);
  }

  [[nodiscard]] Json report(Arguments more) const {
    more.emplace_back("--json");
    const Outcome outcome = attack(std::move(more));
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return Json::parse(outcome.out);
  }
};

const std::string kPublic = "keys/public.fhe";
const std::string kSecret = "keys/secret.fhe";

}  // namespace

TEST_CASE("attack: every method that applies finds the key, beside the model", "[cli][attack]") {
  const Laboratory place("cnt-mini");
  const Json json = place.report({kPublic, "--secret", kSecret, "--method", "all"});
  CHECK(json["attacks"].size() == 8);
  const auto estimate = *estimate_of(ParameterSet::named("cnt-mini"));
  CHECK(json["estimate"]["verdict"] == "broken today");
  for (const Json& attack : json["attacks"]) {
    CAPTURE(attack["method"]);
    if (attack["method"] == "sparse-weights") {
      CHECK_THAT(attack["refused"].get<std::string>(),
                 ContainsSubstring("one sparse ciphertext in"));
      continue;
    }
    CHECK(attack["found_primes"] == 1);
    CHECK(attack["opened_ciphertexts"] == 8);
    CHECK(attack["agrees_with_secret_key"] == true);
    CHECK(attack["steps"].size() >= 1);
    if (attack["method"] != "orthogonal-lattice") continue;
    const double model = attack["model"]["dimension"];
    CHECK(std::abs(attack["samples"].get<double>() - model) <= 3);
  }
}

TEST_CASE("attack: without a method, the cheapest by the estimator is told step by step",
          "[cli][attack]") {
  const Laboratory place("bdghv-mini");
  const Outcome outcome = place.attack({kPublic});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("1. ") &&
                              ContainsSubstring("found 4 of 4 secret primes") &&
                              ContainsSubstring("8 of 8 new ciphertexts open") &&
                              ContainsSubstring("broken today"));
}

TEST_CASE("attack: ciphertexts of schemes without a prime are opened", "[cli][attack]") {
  const Laboratory place("gh-mini");
  const Json json = place.report({kPublic, "--method", "ideal-lattice"});
  CHECK(json["attacks"][0]["opened_ciphertexts"] == 1);
  CHECK(json["attacks"][0]["dimension"] == 32);
}

TEST_CASE("attack: the owner of an ideal gives its secret away, answer by answer",
          "[cli][attack]") {
  const Laboratory place("gh-mini");
  const Json attack =
      place.report({kPublic, "--secret", kSecret, "--method", "decryption-oracle"})["attacks"][0];
  CHECK(attack["found_w"] == true);
  CHECK(attack["opened_ciphertexts"] == 8);
  CHECK(attack["agrees_with_secret_key"] == true);
  const Outcome told =
      place.attack({kPublic, "--secret", kSecret, "--method", "decryption-oracle"});
  CHECK_THAT(told.out,
             ContainsSubstring("found the secret w, up to its sign, as in the secret key; "
                               "with it 8 of 8 new ciphertexts open"));
}

TEST_CASE("attack: the owner of a key with slots gives its primes away", "[cli][attack]") {
  const Laboratory place("bdghv-mini");
  const Json attack =
      place.report({kPublic, "--secret", kSecret, "--method", "decryption-oracle"})["attacks"][0];
  CHECK(attack["found_primes"] == 4);
  CHECK(attack["opened_ciphertexts"] == 8);
  CHECK(attack["agrees_with_secret_key"] == true);
}

TEST_CASE("attack: a sparse ciphertext of a weak group is opened without a key", "[cli][attack]") {
  const std::string group =
      GroupText("cnt-mini").set("alpha", 545).set("rho_prime", 24).head("name", "\"weak\"").text();
  const Sandbox files;
  files.write("weak.toml", group);
  const Laboratory place(files.file("weak.toml").string());
  const Json attack = place.report({kPublic, "--method", "sparse-weights"})["attacks"][0];
  CHECK(attack["opened_ciphertexts"] == 1);
  CHECK(attack["dimension"] == 18);
  CHECK(attack["model"]["name"] == "sparse weights");
}

TEST_CASE("attack: numbers in slots are opened by their owner", "[cli][attack]") {
  const Laboratory place("she-mini");
  for (const std::string method : {"noise-search", "orthogonal-lattice", "decryption-oracle"}) {
    for (const bool published : {false, true}) {
      CAPTURE(method, published);
      Arguments command{kSecret, "--method", method};
      if (published) command.emplace_back("--publish-x0");
      const Json attack = place.report(command)["attacks"][0];
      CHECK(attack["found_primes"] == 5);
      CHECK(attack["opened_ciphertexts"] == 8);
      CHECK(attack["agrees_with_secret_key"] == true);
    }
  }
}

TEST_CASE("attack: a group with a short gap is opened from its ciphertexts alone",
          "[cli][attack]") {
  const Laboratory place(FHE_TEST_DATA_DIR "/weak.toml");
  const Json json = place.report({kSecret, "--method", "simultaneous-approximation"});
  const Json attack = json["attacks"][0];
  CHECK(attack["found_primes"] == 1);
  CHECK(attack["opened_ciphertexts"] == 8);
  CHECK(attack["agrees_with_secret_key"] == true);
  CHECK(json["estimate"]["verdict"] == "broken today");
}

TEST_CASE("attack: keys of others are refused", "[cli][attack]") {
  const Workplace place;  // its key is no test key
  check_failure(place, {"attack", "keys/public.fhe"}, kBadFile, "not marked as a test key");
  place.succeed({"keygen", "--params", "cnt-mini", "--out", "others"});
  check_failure(place, {"attack", "keys/public.fhe", "--secret", "others/secret.fhe"}, kBadFile,
                "the secret key");
  check_failure(place, {"attack", "keys/secret.fhe"}, kBadFile,
                "needed here: a public key of bits or a secret key");
  place.succeed({"attack", "keys/public.fhe", "--secret", "keys/secret.fhe"});
}

TEST_CASE("attack: what does not apply or is hopeless is refused", "[cli][attack]") {
  const Laboratory mini("cnt-mini");
  const auto refused = [&](const Arguments& more, const std::string& why) {
    const Outcome outcome = mini.attack(more);
    CHECK(outcome.exit_code == kUsage);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring(why));
  };
  refused({kPublic, "--method", "ideal-lattice"}, "these do: exhaustive-noise-search");
  refused({kPublic, "--method", "decryption-oracle"}, "not without --secret");
  refused({kPublic, "--publish-x0"}, "publishes x0 already");
  refused({kPublic, "--method", "magic"}, "--method");
  refused({kPublic, "--method", "orthogonal-lattice", "--samples", "400"}, "samples");
}

TEST_CASE("attack: CNT Toy", "[cli][attack]") {
  const Laboratory place("cnt-toy");
  const Json attack = place.report(
      {kPublic, "--secret", kSecret, "--method", "squashed-key-lattice"})["attacks"][0];
  CHECK(attack["found_primes"] == 1);
  CHECK(attack["agrees_with_secret_key"] == true);
  CHECK(attack["dimension"] == 152);
  CHECK(attack["model"]["dimension"] == 152);
}

}  // namespace fhe::test
