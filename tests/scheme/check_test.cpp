// SPDX-License-Identifier: Apache-2.0
// Every way in which a key can be wrong that a check is there to find.
#include "libfhe/scheme/check.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libfhe/scheme/files.hpp"
#include "tests/catch.hpp"
#include "tests/support/container_draft.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_findings.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

const std::vector<std::string> kCheckedGroups{
    "cnt-mini",         "cmnt-mini",        "cmnt-mini-paper", "cnt-mini-digits",
    "cmnt-mini-digits", "cnt-mini-special", "gh-mini"};

// A key pair in files, of which changed copies with digests that fit are made.
class Forger {
 public:
  explicit Forger(const std::string& group) : keys_(test_keys(group)) {
    save(directory_ / "public", directory_ / "secret", keys_);
  }

  using Change = std::function<void(Draft&)>;

  // A public key that is changed, but says that it is the old one: the altered file of somebody
  // who did not care about its id would be refused by its id.
  [[nodiscard]] PublicKey forged_public(const Change& change) const {
    Draft draft(directory_ / "public");
    change(draft);
    draft.fit_key_id();
    draft.write(directory_ / "forged");
    const PublicKey forged = load_public_key(directory_ / "forged");
    return {forged.parameters(), keys_.public_key.id(),
            std::shared_ptr<const PublicMaterial>(std::make_shared<PublicKey>(forged),
                                                  &forged.material())};
  }

  // The names of what fails when the pair of the changed public key is checked.
  [[nodiscard]] std::string found_in_public(const Change& change) const {
    return failures(check_key_pair(forged_public(change), keys_.secret_key));
  }

  [[nodiscard]] std::string found_in_secret(const Change& change) const {
    Draft draft(directory_ / "secret");
    change(draft);
    draft.write(directory_ / "forged");
    const SecretKey forged = load_secret_key(directory_ / "forged");
    return failures(check_key(forged)) + failures(check_key_pair(keys_.public_key, forged));
  }

  // The reader refuses a public key with this change for this reason.
  void check_refused(const Change& change, const std::string& reason) const {
    CHECK_THROWS_MATCHES(forged_public(change), Error, HasCode(ErrorCode::malformed_file, reason));
  }

  [[nodiscard]] const KeyPair& keys() const { return keys_; }

 private:
  const KeyPair& keys_;
  TemporaryDirectory directory_;
};

void flip(Draft& draft, std::string_view section, std::size_t byte, int bits) {
  draft[section].at(byte) ^= static_cast<std::byte>(bits);
}

void clear(Draft& draft, std::string_view section) {
  std::ranges::fill(draft[section], std::byte{0});
}

}  // namespace

TEST_CASE("keys as they are made pass every check", "[check]") {
  for (const std::string& group : kCheckedGroups) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    CHECK(failures(check_key(keys.public_key)).empty());
    CHECK(failures(check_key(keys.secret_key)).empty());
    CHECK(failures(check_key_pair(keys.public_key, keys.secret_key)).empty());
    CHECK(check_key_pair(keys.public_key, keys.secret_key).size() >= 5);
    CHECK_FALSE(check_key(keys.public_key).empty());
  }
}

TEST_CASE("keys of two pairs are found to be no pair, and nothing more is said", "[check]") {
  for (const std::string& group : kCheckedGroups) {
    CAPTURE(group);
    const KeyPair& other = test_keys(group, "another pair");
    const auto findings = check_key_pair(test_keys(group).public_key, other.secret_key);
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().what == "one pair");
    CHECK_FALSE(all_passed(findings));
    CHECK_THAT(findings.front().detail,
               Catch::Matchers::ContainsSubstring(other.secret_key.id().text()));
  }
}

TEST_CASE("keys with one id and different moduli are no pair", "[check]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const PublicKey& other = test_keys("cnt-mini", "another pair").public_key;
  const PublicKey forged(
      other.parameters(), keys.public_key.id(),
      std::shared_ptr<const PublicMaterial>(std::make_shared<PublicKey>(other), &other.material()));
  const auto findings = check_key_pair(forged, keys.secret_key);
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().what == "one pair");
  CHECK_FALSE(findings.front().passed);
}

TEST_CASE("a public key that recrypts to plain bits is found without the secret key", "[check]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const cnt::CntPublicMaterial& good = cnt_part(keys.public_key);
  dghv::SquashedKey squashed = good.squashed();
  const PublicStream chi = dghv::key_bit_stream(good.parameters(), squashed.seed);
  for (std::size_t i = 0; i < squashed.sigma.size(); ++i) squashed.sigma[i] = chi.element(i);
  const PublicKey plain(keys.public_key.parameters(), keys.public_key.id(),
                        std::make_shared<cnt::CntPublicMaterial>(good.parameters(), good.modulus(),
                                                                 good.delta(), squashed));
  // The two results are c mod 2 of two new encryptions: different ones now and then.
  for (int i = 0; i < 20; ++i) CHECK(failures(check_key(plain)) == "trial recryption; ");
}

TEST_CASE("altered values of a DGHV public key are found", "[check]") {
  using Catch::Matchers::ContainsSubstring;
  for (const std::string group : {"cnt-mini", "cmnt-mini", "cmnt-mini-paper"}) {
    CAPTURE(group);
    const Forger forger(group);
    // A bit of the noise of a key bit: recryption goes on, to wrong bits for the inputs that
    // choose it.
    CHECK_THAT(forger.found_in_public([](Draft& d) { flip(d, "sigma", 0, 1); }),
               ContainsSubstring("encrypted key bits"));
    CHECK_THAT(forger.found_in_public([](Draft& d) { flip(d, "sigma", 40, 4); }),
               ContainsSubstring("encrypted key bits"));
    CHECK_THAT(forger.found_in_public([](Draft& d) { flip(d, "u0", 0, 1); }),
               ContainsSubstring("squashed key"));
    CHECK_THAT(forger.found_in_public([](Draft& d) { flip(d, "seed", 20, 1); }),
               ContainsSubstring("encrypted key bits"));
    const std::string elements = group == "cnt-mini" ? "delta" : "x.1";
    CHECK_THAT(forger.found_in_public([&](Draft& d) { flip(d, elements, 30, 1); }),
               ContainsSubstring("public elements"));
  }
}

TEST_CASE("altered key bits of a digit key are found or refused", "[check][digits]") {
  using Catch::Matchers::ContainsSubstring;
  const Forger forger("cnt-mini-digits");
  // The parity stays, the digits above it change.
  CHECK_THAT(forger.found_in_public([](Draft& d) { flip(d, "sigma.32", 0, 2); }),
             ContainsSubstring("key bits encrypted modulo 32"));
  CHECK_THAT(forger.found_in_public([](Draft& d) { flip(d, "sigma", 0, 1); }),
             ContainsSubstring("encrypted key bits"));
  forger.check_refused([](Draft& d) { clear(d, "sigma.32"); }, "two values of sigma are equal");
  forger.check_refused([](Draft& d) { d["sigma.32"] = d["sigma"]; },
                       "two values of sigma are equal");
  forger.check_refused([](Draft& d) { d.sections.pop_back(); },
                       "but those of this object are params, seed, x0, u0, delta, sigma, sigma.32");
  const Forger single("cmnt-mini-digits");
  CHECK_THAT(single.found_in_public([](Draft& d) { flip(d, "sigma", 0, 2); }),
             ContainsSubstring("encrypted key bits"));
  single.check_refused(
      [](Draft& d) {
        d.sections.push_back({"sigma.32", d["sigma"]});
      },
      "but those of this object are params, seed, x0, u0, x.0, x.1, sigma, in this order");
}

TEST_CASE("lists of zeros, of equal and of short values are refused", "[check]") {
  const Forger cmnt("cmnt-mini");
  for (const std::string section : {"x.0", "x.1"}) {
    cmnt.check_refused([&](Draft& d) { clear(d, section); },
                       "a value of " + section + " is too short to hide a bit");
  }
  cmnt.check_refused([](Draft& d) { d["x.0"] = d["x.1"]; }, "two values of x.0 and x.1 are equal");
  const std::size_t bytes = ParameterSet::named("cmnt-mini").number("gamma", 1, 1 << 20) / 8;
  cmnt.check_refused(
      [&](Draft& d) {
        std::ranges::copy(std::span(d["x.1"]).first(bytes),
                          std::span(d["x.1"]).subspan(bytes).begin());
      },
      "two values of x.0 and x.1 are equal");
  // One element of zeros but for its last byte: different from all others, and too short.
  cmnt.check_refused(
      [&](Draft& d) { std::ranges::fill(std::span(d["x.1"]).subspan(1, bytes - 1), std::byte{0}); },
      "a value of x.1 is too short");
  for (const std::string section : {"delta", "sigma"}) {
    const Forger cnt("cnt-mini");
    cnt.check_refused([&](Draft& d) { clear(d, section); },
                      "two values of " + section + " are equal");
  }
  cmnt.check_refused([](Draft& d) { clear(d, "sigma"); }, "two values of sigma are equal");
}

TEST_CASE("altered values of a DGHV secret key are found", "[check]") {
  using Catch::Matchers::ContainsSubstring;
  for (const std::string group : {"cnt-mini", "cmnt-mini"}) {
    CAPTURE(group);
    const Forger forger(group);
    // The 1 of the last block at another place of its block.
    const auto move_one = [](Draft& d) { flip(d, "s", d["s"].size() - 4, 1); };
    CHECK_THAT(forger.found_in_secret(move_one),
               ContainsSubstring("squashed key") && ContainsSubstring("encrypted key bits"));
  }
}

TEST_CASE("altered values of GH keys are found", "[check]") {
  using Catch::Matchers::ContainsSubstring;
  const Forger forger("gh-mini");
  CHECK_THAT(forger.found_in_public([](Draft& d) { flip(d, "eta", 0, 1); }),
             ContainsSubstring("encrypted key bits"));
  CHECK_THAT(forger.found_in_public([](Draft& d) { flip(d, "x", 0, 1); }),
             ContainsSubstring("squashed key"));
  CHECK_THAT(forger.found_in_secret([](Draft& d) { flip(d, "w", 0, 2); }),
             ContainsSubstring("squashed key") || ContainsSubstring("encrypted key bits"));
}

TEST_CASE("a check can be stopped", "[check]") {
  std::stop_source stop;
  stop.request_stop();
  const Monitor monitor{.stop = stop.get_token(), .progress = {}};
  const KeyPair& keys = test_keys("cnt-mini");
  CHECK_THROWS_MATCHES(check_key(keys.public_key, open_backend(), monitor), Error,
                       HasCode(ErrorCode::stopped));
}

}  // namespace fhe::test
