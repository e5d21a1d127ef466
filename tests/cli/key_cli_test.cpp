// SPDX-License-Identifier: Apache-2.0
// Keys on the command line: checks of them, and their passphrases.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/inotify.h>
#include <unistd.h>

#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/support/container_draft.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

using Json = nlohmann::json;
using Catch::Matchers::ContainsSubstring;

const Arguments kCheckPair{"check", "--key", "keys/public.fhe", "--secret", "keys/secret.fhe"};

// A public key whose key bits are others than the secret key's: what it says of itself fits.
void forge_public(const Workplace& place, const std::string& section, std::size_t byte) {
  Draft draft(place.file("keys/public.fhe"));
  draft[section].at(byte) ^= std::byte{1};
  draft.fit_key_id();
  draft.write(place.file("forged.fhe"));
  Draft secret(place.file("keys/secret.fhe"));
  secret.header.key_id = draft.header.key_id;
  secret.write(place.file("its-secret.fhe"));
}

}  // namespace

// Replaces the pair as soon as the check has read the first key of it. The check passes too when it
// was faster.
TEST_CASE("cli: check looks again at a pair that is replaced meanwhile", "[cli]") {
  const Workplace place;
  place.succeed({"keygen", "--params", "cnt-mini", "--out", "next"});
  const int watch = inotify_init1(IN_CLOEXEC);
  REQUIRE(watch >= 0);
  REQUIRE(inotify_add_watch(watch, place.file("keys/public.fhe").c_str(), IN_CLOSE_NOWRITE) >= 0);
  Process check(place, {kCheckPair});
  char event[4096];
  CHECK(read(watch, event, sizeof(event)) > 0);
  for (const char* const name : {"public.fhe", "secret.fhe"}) {
    std::filesystem::rename(place.file("next") / name, place.file("keys") / name);
  }
  const Outcome outcome = check.wait();
  close(watch);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("cli: check tells that keys are sound", "[cli]") {
  const Workplace place;
  const Outcome outcome = place.succeed(kCheckPair);
  CHECK_THAT(outcome.out, ContainsSubstring("recryption") && ContainsSubstring("\nsound\n") &&
                              !ContainsSubstring("FAILED"));
  CHECK_THAT(place.succeed({"check", "--key", "keys/public.fhe"}).out, ContainsSubstring("sound"));
  CHECK_THAT(place.succeed({"check", "--secret", "keys/secret.fhe"}).out,
             ContainsSubstring("p is prime"));
  check_failure(place, Arguments{"check"}, kUsage, "--key");
  check_failure(place, {"check", "--key", "none.fhe"}, kIo, "none.fhe");
}

TEST_CASE("cli: check finds an altered public key that computes without an error", "[cli]") {
  const Workplace place;
  forge_public(place, "sigma", 0);
  place.succeed({"encrypt", "--key", "forged.fhe", "--bits", "10", "--out", "x.fhe"});
  place.succeed({"recrypt", "--key", "forged.fhe", "x.fhe", "--out", "y.fhe"});
  const Outcome outcome =
      place.run({{"check", "--key", "forged.fhe", "--secret", "its-secret.fhe"}});
  CHECK(outcome.exit_code == kBadFile);
  CHECK_THAT(outcome.out,
             ContainsSubstring("FAILED  encrypted key bits") && ContainsSubstring("NOT SOUND"));

  const Outcome json =
      place.run({{"check", "--key", "forged.fhe", "--secret", "its-secret.fhe", "--json"}});
  CHECK(json.exit_code == kBadFile);
  const Json report = Json::parse(json.out);
  CHECK(report["sound"] == false);
  const auto failed = std::ranges::find_if(
      report["checks"], [](const Json& check) { return check["passed"] == false; });
  CHECK((*failed)["check"] == "encrypted key bits");
}

TEST_CASE("cli: check finds damaged files and halves of two pairs", "[cli]") {
  const Workplace place;
  place.succeed({"keygen", "--params", "cnt-mini", "--out", "other"});
  const Outcome mixed =
      place.run({{"check", "--key", "keys/public.fhe", "--secret", "other/secret.fhe"}});
  CHECK(mixed.exit_code == kBadFile);
  CHECK_THAT(mixed.out, ContainsSubstring("FAILED  one pair"));

  std::string bytes = place.read("keys/public.fhe");
  bytes[bytes.size() / 2] ^= 1;
  place.write("keys/public.fhe", bytes);
  const Outcome damaged = place.run({kCheckPair});
  CHECK(damaged.exit_code == kBadFile);
  CHECK_THAT(damaged.out, ContainsSubstring("FAILED  file") && ContainsSubstring("p is prime"));
}

TEST_CASE("cli: keys that no command would read are not made", "[cli]") {
  const Workplace place;
  const auto refused = [&](const GroupText& group, const std::string& part) {
    place.write("my.toml", group.text());
    const std::vector<std::string> files = place.list();
    check_failure(place, {"keygen", "--params", "my.toml", "--out", "new"}, kBadFile, part);
    CHECK(place.list() == files);
  };
  refused(GroupText("cnt-mini").set("alpha", 550), "it claims to be cnt-mini");
  // With h = 2 about 3 keys of 100 will do.
  refused(GroupText("gh-mini").head("name", R"("few")").set("h", 1), "h = 1 nonzero");
  place.write("my.toml", GroupText("gh-mini").head("name", R"("few")").set("h", 3).text());
  for (int key = 0; key < 5; ++key) {
    place.succeed({"keygen", "--params", "my.toml", "--out", "new", "--force"});
    place.succeed({"encrypt", "--key", "new/public.fhe", "--bits", "10", "--out", "x.fhe"});
    CHECK(place.succeed({"decrypt", "--key", "new/secret.fhe", "x.fhe"}).out == "10\n");
  }
}

TEST_CASE("cli: a secret key under a passphrase", "[cli][long]") {
  const Workplace place;
  place.write("first", "correct horse\n");
  place.write("second", "battery staple");
  place.encrypt("10", "x.fhe");
  const auto decrypt = [](const Arguments& more) {
    Arguments all{"decrypt", "--key", "keys/secret.fhe", "x.fhe"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  place.succeed({"passwd", "--key", "keys/secret.fhe", "--new-passphrase-file", "first"});
  CHECK_THAT(place.succeed({"inspect", "keys/secret.fhe"}).out,
             ContainsSubstring("passphrase   yes") && ContainsSubstring("sealed"));
  CHECK(place.succeed(decrypt({"--passphrase-file", "first"})).out == "10\n");
  CHECK(place.succeed(decrypt({"--passphrase-file", "-"}), "correct horse\n").out == "10\n");
  check_failure(place, decrypt({"--passphrase-file", "second"}), kBadFile,
                "this is not its passphrase");
  check_failure(place, decrypt({"--passphrase-file", "none"}), kIo, "none");

  place.succeed({"passwd", "--key", "keys/secret.fhe", "--passphrase-file", "first",
                 "--new-passphrase-file", "second"});
  CHECK(place.succeed(decrypt({"--passphrase-file", "second"})).out == "10\n");
  place.succeed({"passwd", "--key", "keys/secret.fhe", "--passphrase-file", "second", "--remove"});
  CHECK(place.succeed(decrypt({})).out == "10\n");
}

TEST_CASE("cli: keys are made under a passphrase, checked and used", "[cli]") {
  const Workplace place;
  place.write("passphrase", "correct horse\r\n");
  const Outcome made = place.succeed(
      {"keygen", "--params", "gh-mini", "--out", "safe", "--passphrase-file", "passphrase"});
  CHECK_THAT(made.out, ContainsSubstring("under a passphrase"));
  place.succeed({"check", "--key", "safe/public.fhe", "--secret", "safe/secret.fhe",
                 "--passphrase-file", "passphrase"});
  place.write("empty", "\n");
  check_failure(place,
                {"keygen", "--params", "cnt-mini", "--out", "new", "--passphrase-file", "empty"},
                kUsage, "passphrase has 1 to");
}

}  // namespace fhe::test
