// SPDX-License-Identifier: Apache-2.0
// `fhe encrypt --secret-key` and `fhe expand`: from the owner's machine to the one that computes.
#include <cstdint>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"

namespace fhe::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

void encrypt_as_owner(const Workplace& place, const std::string& bits, const std::string& out) {
  place.succeed({"encrypt", "--secret-key", "keys/secret.fhe", "--bits", bits, "--out", out});
}

}  // namespace

TEST_CASE("cli: every command reads what the owner encrypted", "[cli][owner]") {
  const Workplace place;
  encrypt_as_owner(place, "1100", "a.fhe");
  encrypt_as_owner(place, "1010", "b.fhe");
  CHECK(place.decrypt("a.fhe") == "1100\n");
  place.encrypt("1010", "c.fhe");
  const std::string key = "keys/public.fhe";
  for (const std::string other : {"b.fhe", "c.fhe"}) {
    place.succeed({"eval", "--key", key, "and", "a.fhe", other, "--out", "d.fhe"});
    CHECK(place.decrypt("d.fhe") == "1000\n");
  }
  place.succeed({"recrypt", "--key", key, "a.fhe", "--out", "e.fhe"});
  CHECK(place.decrypt("e.fhe") == "1100\n");
  const std::string seen = place.succeed({"inspect", "a.fhe", "--secret", "keys/secret.fhe"}).out;
  CHECK_THAT(seen, ContainsSubstring("4, compressed") && ContainsSubstring("measured") &&
                       ContainsSubstring("within the limits"));
  CHECK(Json::parse(place.succeed({"inspect", "a.fhe", "--json"}).out).at("compressed") == true);
  CHECK(Json::parse(place.succeed({"inspect", "c.fhe", "--json"}).out).at("compressed") == false);
}

TEST_CASE("cli: expanded ciphertexts are whole ones", "[cli][owner]") {
  const Workplace place;
  encrypt_as_owner(place, "10110", "a.fhe");
  place.succeed({"expand", "--key", "keys/public.fhe", "a.fhe", "--out", "whole.fhe"});
  CHECK(place.decrypt("whole.fhe") == "10110\n");
  place.encrypt("10110", "b.fhe");
  const auto bytes = [&](const std::string& name) {
    return std::filesystem::file_size(place.file(name));
  };
  CHECK(bytes("whole.fhe") == bytes("b.fhe"));
  CHECK(bytes("a.fhe") < bytes("b.fhe"));
  check_failure(place, {"expand", "--key", "keys/public.fhe", "b.fhe", "--out", "no.fhe"}, kUsage,
                "whole ciphertexts");
  check_failure(place, {"expand", "--key", "keys/public.fhe", "keys/public.fhe", "--out", "no.fhe"},
                kBadFile, "public key");
  check_failure(place,
                {"expand", "--key", "keys/public.fhe", "a.fhe", "--out", "no.fhe",
                 "--max-file-bytes", std::to_string(bytes("whole.fhe") - 1)},
                kUsage, "--max-file-bytes");
}

TEST_CASE("cli: a toy bit of the owner takes 129 bytes", "[cli][owner]") {
  const Workplace place;
  place.succeed({"keygen", "--params", "cnt-toy", "--out", "toy"});
  place.write("bits.txt", std::string(1000, '1'));
  const Outcome made = place.succeed({"encrypt", "--secret-key", "toy/secret.fhe", "--in",
                                      "bits.txt", "--out", "x.fhe", "--json"});
  const Json report = Json::parse(made.out);
  CHECK(report.at("compressed") == true);
  CHECK(report.at("ciphertexts") == 1000);
  CHECK(std::filesystem::file_size(place.file("x.fhe")) == 264 + 60 + 128'750);
}

TEST_CASE("cli: encryption as owner asks for what it needs", "[cli][owner]") {
  const Workplace place;
  check_failure(place, {"encrypt", "--bits", "1", "--out", "x.fhe"}, kUsage, "--secret-key");
  check_failure(place,
                {"encrypt", "--key", "keys/public.fhe", "--secret-key", "keys/secret.fhe", "--bits",
                 "1", "--out", "x.fhe"},
                kUsage, "--secret-key");
  check_failure(
      place,
      {"encrypt", "--secret-key", "keys/secret.fhe", "--sparse", "--bits", "1", "--out", "x.fhe"},
      kUsage, "--sparse");
  check_failure(place,
                {"encrypt", "--secret-key", "keys/public.fhe", "--bits", "1", "--out", "x.fhe"},
                kBadFile, "public key");
  place.succeed({"keygen", "--params", "gh-mini", "--out", "gh"});
  check_failure(place,
                {"encrypt", "--secret-key", "gh/secret.fhe", "--bits", "1", "--out", "x.fhe"},
                kFailure, "public key");
  place.write("word", "a passphrase\n");
  place.succeed({"passwd", "--key", "keys/secret.fhe", "--new-passphrase-file", "word"});
  place.succeed({"encrypt", "--secret-key", "keys/secret.fhe", "--passphrase-file", "word",
                 "--bits", "01", "--out", "x.fhe"});
  place.succeed({"decrypt", "--key", "keys/secret.fhe", "--passphrase-file", "word", "x.fhe"});
}

}  // namespace fhe::test
