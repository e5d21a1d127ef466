// SPDX-License-Identifier: Apache-2.0
// Command lines that nobody would write.
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/apps/program.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"

namespace fhe::test {

namespace {

// How it ends, which it must within a minute.
Outcome end_of(const Sandbox& place, const Launch& launch) {
  Process process(place, launch);
  INFO(fmt::format("{}", fmt::join(launch.arguments, "|")));
  REQUIRE(process.ends_within(std::chrono::minutes(1)));
  return process.wait();
}

class RandomLines {
 public:
  explicit RandomLines(unsigned seed) : random_(seed) {}

  // Words of the tool, names of files, and what is neither, in any order.
  Arguments next() {
    Arguments line;
    if (chance(9)) line.push_back(one_of(kCommands));
    for (std::size_t words = random_() % 9; words > 0; --words) line.push_back(word());
    return line;
  }

 private:
  static constexpr std::array kCommands{"params", "backends", "keygen",  "encrypt", "eval",
                                        "run",    "circuit",  "recrypt", "decrypt", "inspect"};
  static constexpr std::array kOptions{"--key",
                                       "--bits",
                                       "--in",
                                       "--out",
                                       "--params",
                                       "--backend",
                                       "--threads",
                                       "--json",
                                       "--sparse",
                                       "--verbose",
                                       "--help",
                                       "--version",
                                       "--secret",
                                       "--refresh",
                                       "--plain",
                                       "--input",
                                       "--memory",
                                       "--checkpoint",
                                       "--resume",
                                       "--adder",
                                       "--force",
                                       "--test-seed",
                                       "--max-file-bytes",
                                       "--max-ciphertexts",
                                       "--number",
                                       "--hex",
                                       "--text",
                                       "--width",
                                       "--as",
                                       "--signed",
                                       "--constant",
                                       "list",
                                       "show",
                                       "info",
                                       "-h",
                                       "--",
                                       "-"};
  static constexpr std::array kValues{"keys/public.fhe",
                                      "keys/secret.fhe",
                                      "x.fhe",
                                      "none",
                                      "",
                                      "",
                                      "1011",
                                      "0",
                                      "cnt-mini",
                                      "and",
                                      "not",
                                      "add",
                                      "mux",
                                      "popcount",
                                      "0x2a",
                                      "ntl",
                                      "y.fhe",
                                      "keys",
                                      ".",
                                      "-1",
                                      "99999999999999999999"};

  bool chance(unsigned of_ten) { return random_() % 10 < of_ten; }

  template <std::size_t N>
  std::string one_of(const std::array<const char*, N>& words) {
    return words.at(random_() % N);
  }

  std::string garbage() {
    std::string text;
    for (std::size_t bytes = random_() % 12; bytes > 0; --bytes) {
      const auto c = static_cast<char>(1 + random_() % 255);
      if (c != '/') text.push_back(c);  // names stay in the folder
    }
    return text;
  }

  std::string word() {
    if (chance(1)) return garbage();
    if (chance(1)) return one_of(kOptions) + "=" + one_of(kValues);
    return chance(5) ? one_of(kOptions) : one_of(kValues);
  }

  std::mt19937 random_;
};

void check_random_lines(unsigned seed, int count) {
  const Workplace place;
  place.encrypt("1", "x.fhe");
  RandomLines lines(seed);
  for (int i = 0; i < count; ++i) {
    const Arguments line = lines.next();
    CAPTURE(seed, i, fmt::format("{}", fmt::join(line, "|")));
    const Outcome outcome = end_of(place, {line});
    CAPTURE(outcome.err);
    CHECK((outcome.exit_code == 0 || outcome.exit_code == kUsage || outcome.exit_code == kBadFile ||
           outcome.exit_code == kIo));
  }
}

}  // namespace

TEST_CASE("arguments: an empty one is refused", "[cli]") {
  const Workplace place;
  const auto check = [&](const Arguments& arguments) {
    const Outcome outcome = end_of(place, {arguments});
    INFO(fmt::format("{}: {}", fmt::join(arguments, "|"), outcome.err));
    CHECK(outcome.exit_code == kUsage);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("an empty argument"));
  };
  const std::string key = "keys/public.fhe";
  check({"encrypt", "--key", key, "--bits", "1011", "", "--out", "x.fhe"});
  check({"encrypt", "--key", key, "--out", "--bits", ""});
  check({"encrypt", "--key", key, "--bits", "1", "--out", "x.fhe", "--sparse", ""});
  check({"encrypt", "--key", key, "--bits", "1", "--out", "x.fhe", "--", "--key", ""});
  check({""});
  check({"", "encrypt"});
  check({"encrypt", ""});
  check({"params", "show", ""});
  check({"eval", "--key", key, "and", "", "x.fhe", "--out", "y.fhe"});
  CHECK_FALSE(std::filesystem::exists(place.file("x.fhe")));
}

TEST_CASE("arguments: a command that does not exist is answered with its neighbour", "[cli]") {
  const Workplace place;
  check_failure(place, {"keygne"}, kUsage, "'keygne': did you mean keygen? (see fhe --help)");
  check_failure(place, {"Decrypt"}, kUsage, "did you mean decrypt?");
  check_failure(place, {"params", "lst"}, kUsage, "did you mean list? (see fhe params --help)");
  check_failure(place, {"no-such-thing"}, kUsage, "no command 'no-such-thing' (see fhe --help)");
}

TEST_CASE("arguments: help is given whatever stands beside it", "[cli]") {
  const Workplace place;
  for (const Arguments& line : {Arguments{"--help", "keygne"}, Arguments{"keygne", "--help"}}) {
    CHECK_THAT(place.succeed(line).out, Catch::Matchers::ContainsSubstring("fhe COMMAND --help"));
  }
}

TEST_CASE("arguments: errors point to the help of their command", "[cli]") {
  const Workplace place;
  check_failure(place, Launch{}, kUsage, "(see fhe --help)");
  check_failure(place, {"run", "a.blif", "--nothing"}, kUsage, "(see fhe run --help)");
  check_failure(place, {"encrypt", "--key"}, kUsage, "(see fhe encrypt --help)");
  check_failure(place, {"params", "show"}, kUsage, "(see fhe params show --help)");
}

TEST_CASE("arguments: an option's value may be empty", "[cli]") {
  const Workplace place;
  check_failure(place, {"encrypt", "--key", "keys/public.fhe", "--bits", "", "--out", "x.fhe"},
                kUsage, "no bits");
  check_failure(place, {"encrypt", "--key", "", "--bits", "1", "--out", "x.fhe"}, kIo);
  place.succeed({"keygen", "--params", "cnt-mini", "--test-seed", "", "--out", "other"});
}

TEST_CASE("arguments: no program takes an empty one", "[cli][apps]") {
  const Sandbox empty;
  const std::string applications = FHE_APPLICATIONS_DIR;
  std::vector<std::string> programs;
  for (const std::string program :
       {"private_search/fhe-private-search", "private_lookup/fhe-private-lookup",
        "ballot/fhe-ballot", "credit_check/fhe-credit-check"}) {
    programs.push_back(applications + "/" + program);
  }
#ifdef FHE_BENCH_PATH
  programs.emplace_back(FHE_BENCH_PATH);
#endif
  const std::string outsource = applications + "/outsource/fhe-outsource";
  if (std::filesystem::exists(outsource)) programs.push_back(outsource);
  for (const std::string& program : programs) {
    Launch launch{{""}};
    launch.program = program;
    const Outcome outcome = end_of(empty, launch);
    INFO(program << ": " << outcome.err);
    CHECK(outcome.exit_code == kUsage);
  }
}

TEST_CASE("arguments: random command lines", "[cli]") {
  check_random_lines(1, 40);
}

TEST_CASE("arguments: thousands of random command lines", "[cli][long]") {
  check_random_lines(2, 5000);
}

}  // namespace fhe::test
