// SPDX-License-Identifier: Apache-2.0
// `fhe slots`, and keys, encryption and decryption of numbers in slots.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "libfhe/scheme/she/files.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"

namespace fhe::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

// A key of a small group, and two ciphertexts of it in each of two files.
class NumbersPlace {
 public:
  NumbersPlace() {
    place.succeed({"keygen", "--params", "she-mini", "--out", "slots"});
    place.write("a.txt", "1 9\n2 8\n3\t7\n\n 4 6\n5 5\n");
    place.write("b.txt", "-1 2\n3 0\n-9 9\n1 1\n");
    encrypt("a");
    encrypt("b");
  }

  void encrypt(const std::string& name) const {
    place.succeed({"encrypt", "--secret-key", "slots/secret.fhe", "--slots", name + ".txt", "--out",
                   name + ".fhe"});
  }
  // What an operation leads to.
  [[nodiscard]] std::string computed(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "slots");
    arguments.insert(arguments.end(), {"--out", "c.fhe"});
    place.succeed(arguments);
    return decrypted("c.fhe");
  }
  [[nodiscard]] std::string decrypted(const std::string& file) const {
    return place.succeed({"decrypt", "--key", "slots/secret.fhe", file}).out;
  }

  Workplace place;
};

}  // namespace

TEST_CASE("cli: numbers in slots are encrypted, computed on and decrypted", "[cli][slots]") {
  const NumbersPlace numbers;
  CHECK_FALSE(std::filesystem::exists(numbers.place.file("slots/public.fhe")));
  CHECK(numbers.decrypted("a.fhe") == "1 9\n2 8\n3 7\n4 6\n5 5\n");
  CHECK(numbers.decrypted("b.fhe") == "9 2\n3 0\n1 9\n1 1\n0 0\n");
  CHECK(numbers.computed({"add", "a.fhe", "b.fhe"}) == "0 1\n5 8\n4 6\n5 7\n5 5\n");
  CHECK(numbers.computed({"subtract", "a.fhe", "b.fhe"}) == "2 7\n9 8\n2 8\n3 5\n5 5\n");
  CHECK(numbers.computed({"multiply", "a.fhe", "b.fhe"}) == "9 8\n6 0\n3 3\n4 6\n0 0\n");
  CHECK(numbers.computed({"negate", "b.fhe"}) == "1 8\n7 0\n9 1\n9 9\n0 0\n");
  CHECK(numbers.computed({"square", "b.fhe"}) == "1 4\n9 0\n1 1\n1 1\n0 0\n");
  CHECK(numbers.computed({"sum", "a.fhe"}) == "0\n0\n0\n0\n0\n");
  CHECK(numbers.computed({"inner-sum", "a.fhe", "b.fhe"}) == "7\n6\n6\n0\n0\n");
  CHECK(numbers.computed({"add-constant", "b.fhe", "--constant", "-1"}) ==
        "8 1\n2 9\n0 8\n0 0\n9 9\n");
  CHECK(numbers.computed({"multiply-constant", "b.fhe", "--constant", "7"}) ==
        "3 4\n1 0\n7 3\n7 7\n0 0\n");
  const std::string out =
      numbers.place.succeed({"decrypt", "--key", "slots/secret.fhe", "--signed", "a.fhe"}).out;
  CHECK(out == "1 -1\n2 -2\n3 -3\n4 -4\n5 5\n");
  const Json json = Json::parse(
      numbers.place.succeed({"decrypt", "--key", "slots/secret.fhe", "b.fhe", "--json"}).out);
  CHECK(json.at("slots").at(0) == Json{9, 2});
}

TEST_CASE("cli: numbers in slots can be inspected, and their keys locked", "[cli][slots]") {
  const NumbersPlace numbers;
  const std::string seen =
      numbers.place.succeed({"inspect", "a.fhe", "--secret", "slots/secret.fhe"}).out;
  CHECK_THAT(seen, ContainsSubstring("2, compressed") && ContainsSubstring("measured") &&
                       ContainsSubstring("5 in each, numbers modulo 10"));
  const Json json = Json::parse(numbers.place.succeed({"inspect", "a.fhe", "--json"}).out);
  CHECK(json.at("scheme") == "she");
  CHECK(json.at("ciphertexts") == 2);
  CHECK(json.at("plaintext_modulus") == 10);
  CHECK_THAT(numbers.place.succeed({"inspect", "slots/secret.fhe"}).out,
             ContainsSubstring("secret key"));
  numbers.place.write("pass.txt", "horse\n");
  numbers.place.succeed(
      {"passwd", "--key", "slots/secret.fhe", "--new-passphrase-file", "pass.txt"});
  CHECK(numbers.place
            .succeed(
                {"decrypt", "--key", "slots/secret.fhe", "--passphrase-file", "pass.txt", "b.fhe"})
            .out == "9 2\n3 0\n1 9\n1 1\n0 0\n");
}

TEST_CASE("cli: what numbers in slots cannot be is refused", "[cli][slots]") {
  const NumbersPlace numbers;
  const Workplace& place = numbers.place;
  const auto encrypt = [&](const std::string& text, const std::string& what) {
    CAPTURE(text);
    place.write("x.txt", text);
    check_failure(
        place,
        {"encrypt", "--secret-key", "slots/secret.fhe", "--slots", "x.txt", "--out", "x.fhe"},
        kUsage, what);
    CHECK_FALSE(std::filesystem::exists(place.file("x.fhe")));
  };
  encrypt("", "no numbers");
  encrypt("1\n10\n", "line 2: word 1 is no whole number between -9 and 9");
  encrypt("1 x\n", "line 1: word 2 is no whole number");
  encrypt("99999999999999999999999\n", "line 1: word 1 is no whole number");
  encrypt("1 2\n3\n", "line 2: 1 numbers, and the first line has 2");
  encrypt("1 2\n3 4 5\n", "line 2: too many numbers");
  encrypt("1\n2\n3\n4\n5\n6\n", "6 numbers are more than the 5 slots");
  check_failure(place, {"encrypt", "--secret-key", "slots/secret.fhe", "--bits", "1", "--out", "x"},
                kUsage, "--slots");
  const auto slots = [&](std::vector<std::string> arguments, const std::string& what) {
    arguments.insert(arguments.begin(), "slots");
    arguments.insert(arguments.end(), {"--out", "x.fhe"});
    check_failure(place, arguments, kUsage, what);
  };
  slots({"add", "a.fhe"}, "add takes 2 files of ciphertexts, and 1 is given");
  slots({"negate", "a.fhe", "b.fhe"}, "negate takes 1 file of ciphertexts, and 2 are given");
  slots({"add", "a.fhe", "b.fhe", "--constant", "1"}, "add takes no --constant");
  slots({"add-constant", "a.fhe"}, "add-constant needs --constant");
  slots({"add-constant", "a.fhe", "--constant", "1x"}, "no whole number");
  slots({"divide", "a.fhe"}, "divide");
  place.write("one.txt", "1\n");
  numbers.encrypt("one");
  slots({"add", "a.fhe", "one.fhe"}, "give as many in both");
  place.succeed({"slots", "square", "one.fhe", "--out", "two.fhe"});
  place.succeed({"slots", "square", "two.fhe", "--out", "four.fhe"});
  check_failure(place, {"slots", "square", "four.fhe", "--out", "x.fhe"}, kNoise,
                "nothing is computed");
  check_failure(place, {"slots", "negate", "slots/secret.fhe", "--out", "x.fhe"}, kBadFile,
                "secret key");
  check_failure(place, {"decrypt", "--key", "keys/secret.fhe", "a.fhe"}, kBadFile, "she-mini");
}

TEST_CASE("cli: votes are encrypted with a public key and added up", "[cli][slots]") {
  const Workplace place;
  place.succeed({"keygen", "--params", "she-128-ballot", "--out", "ballot"});
  const Json shown = Json::parse(place.succeed({"params", "show", "she-128-ballot", "--json"}).out);
  CHECK(shown.at("public_key_bytes") == place.read("ballot/public.fhe").size());
  CHECK(shown.at("secret_key_bytes") == place.read("ballot/secret.fhe").size());
  place.write("votes.txt", "1 0 1 65535 7\n");
  place.succeed(
      {"encrypt", "--key", "ballot/public.fhe", "--slots", "votes.txt", "--out", "v.fhe"});
  place.succeed({"slots", "sum", "v.fhe", "--out", "sum.fhe"});
  CHECK(place.succeed({"decrypt", "--key", "ballot/secret.fhe", "sum.fhe"}).out == "8\n");
  place.write("two.txt", "1\n2\n");
  check_failure(place,
                {"encrypt", "--key", "ballot/public.fhe", "--slots", "two.txt", "--out", "x.fhe"},
                kUsage, "have one slot");
  check_failure(place, {"encrypt", "--key", "ballot/public.fhe", "--bits", "1", "--out", "x.fhe"},
                kUsage, "--slots");
}

// The outsider of the first half divides answer by query, and has the constant.
TEST_CASE("cli: encryptions of zero hide how an answer was computed", "[cli][slots][hiding]") {
  const Workplace place;
  place.succeed({"keygen", "--params", "she-128-tally", "--out", "owner"});
  place.write("number.txt", "7\n");
  const auto encrypt = [&](const std::string& option, const std::string& value,
                           const std::string& out) {
    place.succeed(
        {"encrypt", "--secret-key", "owner/secret.fhe", option, value, "--out", out + ".fhe"});
    return she::load_slots(place.file(out + ".fhe")).slots;
  };
  const auto compute = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "slots");
    arguments.insert(arguments.end(), {"--out", "out.fhe", "--json"});
    const Json json = Json::parse(place.succeed(arguments).out);
    CHECK(place.succeed({"decrypt", "--key", "owner/secret.fhe", "out.fhe"}).out == "21\n");
    return std::pair(json, she::load_slots(place.file("out.fhe")).slots.front());
  };
  const she::Slots query = encrypt("--slots", "number.txt", "query").front();
  const auto [plain, shown] = compute({"multiply-constant", "query.fhe", "--constant", "3"});
  CHECK(shown.value() == 3 * query.value());
  CHECK_FALSE(plain.contains("hiding"));
  place.succeed({"slots", "multiply-constant", "query.fhe", "--constant", "3", "--out", "a.fhe"});

  CHECK(encrypt("--zeros", "estimated", "zeros").size() == 5150);
  CHECK(std::filesystem::file_size(place.file("zeros.fhe")) < 200'000);
  const auto [json, hidden] = compute({"randomize", "a.fhe", "zeros.fhe"});
  CHECK(json.at("hiding") == "estimated");
  CHECK(bit_length(hidden.value() - shown.value()) > 172'000);
  CHECK(compute({"randomize", "a.fhe", "zeros.fhe"}).second.value() != hidden.value());

  place.succeed({"encrypt", "--secret-key", "owner/secret.fhe", "--zeros", "proven",
                 "--weight-bits", "16", "--out", "more.fhe"});
  CHECK(compute({"randomize", "a.fhe", "more.fhe", "--weight-bits", "16"}).first.at("hiding") ==
        "proven");
  check_failure(place, {"slots", "randomize", "a.fhe", "query.fhe", "--out", "x.fhe"}, kUsage,
                "fewer than two encryptions of zero");
  check_failure(place, {"slots", "randomize", "zeros.fhe", "--out", "x.fhe"}, kUsage,
                "randomize takes 2 files");
  const auto refused = [&](const std::string& zeros, const std::string& what) {
    check_failure(place,
                  {"encrypt", "--secret-key", "owner/secret.fhe", "--zeros", zeros, "--out", "x"},
                  kUsage, what);
  };
  refused("5149", "a number from 5150 on");
  refused("many", "give estimated, proven");
  check_failure(place,
                {"encrypt", "--key", "owner/public.fhe", "--zeros", "estimated", "--out", "x"},
                kUsage, "--secret-key");
}

TEST_CASE("cli: groups of numbers in slots are listed with their sizes", "[cli][slots]") {
  const Workplace place;
  const std::string list = place.succeed({"params", "list"}).out;
  CHECK_THAT(list, ContainsSubstring("she-128-d1-field-tight"));
  const std::string show = place.succeed({"params", "show", "she-128-d1"}).out;
  CHECK_THAT(show, ContainsSubstring("slots       4096") &&
                       ContainsSubstring("239 kB (238520 bytes)") && ContainsSubstring("own"));
}

}  // namespace fhe::test
