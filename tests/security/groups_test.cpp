// SPDX-License-Identifier: Apache-2.0
// The estimates of the built-in groups.
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/security.hpp"
#include "libfhe/security/estimate.hpp"
#include "tests/catch.hpp"

namespace fhe {

namespace {

using Catch::Matchers::WithinAbs;

// log2 of the cycles of the cheapest attack, with recryption keys published and without.
struct ExpectedCycles {
  double with_keys;
  double without_keys;
};

const security::Attack* attack_named(const security::Estimate& estimate, std::string_view name) {
  for (const security::Attack& attack : estimate.attacks) {
    if (attack.name == name) return &attack;
  }
  return nullptr;
}

const security::Check* failing_check(const security::Estimate& estimate) {
  for (const security::Check& check : estimate.checks) {
    if (!check.holds) return &check;
  }
  return nullptr;
}

// The cells of the line of README.md that begins with `heading`.
std::vector<std::string> readme_cells(const std::string& heading) {
  std::ifstream readme(FHE_TEST_DATA_DIR "/../../README.md");
  for (std::string line; std::getline(readme, line);) {
    const std::size_t start = line.find("| " + heading + " | ");
    if (start == std::string::npos) continue;
    std::istringstream rest(line.substr(start + heading.size() + 5));
    std::vector<std::string> cells;
    for (std::string cell; std::getline(rest, cell, '|');) cells.push_back(cell);
    return cells;
  }
  return {};
}

}  // namespace

TEST_CASE("the groups of numbers in slots pass, and no quantum computer opens them", "[security]") {
  for (const std::string& name : ParameterSet::names()) {
    const ParameterSet group = ParameterSet::named(name);
    if (group.purpose() != GroupPurpose::slots || name == "she-mini" || name == "she-128-tally") {
      continue;
    }
    CAPTURE(name);
    const security::Estimate estimate = *estimate_of(group);
    CHECK(estimate.verdict() == security::Verdict::passes_128);
    for (const std::string attack :
         {"noise search", "orthogonal lattice", "unique shortest vector", "dual distinguisher"}) {
      CAPTURE(attack);
      REQUIRE(attack_named(estimate, attack) != nullptr);
      CHECK(attack_named(estimate, attack)->core >= 128);
    }
    CHECK_FALSE(estimate.quantum_breaks);
    CHECK(failing_check(estimate) == nullptr);
  }
}

TEST_CASE("the first group for sums is labelled by what it has", "[security]") {
  const security::Estimate estimate = *estimate_of(ParameterSet::named("she-128-tally"));
  CHECK(estimate.verdict() == security::Verdict::below_128);
  CHECK(estimate.bits() == 124);
  CHECK(failing_check(estimate) == nullptr);
}

TEST_CASE("every group of bits that makes keys has an estimate, and none is called secure",
          "[security]") {
  for (const std::string& name : ParameterSet::names()) {
    CAPTURE(name);
    const ParameterSet group = ParameterSet::named(name);
    if (group.purpose() == GroupPurpose::slots) continue;
    const std::optional<security::Estimate> estimate = estimate_of(group);
    REQUIRE(estimate.has_value() == group.makes_keys());
    if (!estimate) continue;
    CHECK(estimate->quantum_breaks);
    CHECK(estimate->verdict() <= security::Verdict::weak);
    CHECK(estimate->cycles() >= 0);
    for (const security::Attack& attack : estimate->attacks) {
      CAPTURE(attack.name, attack.cycles, attack.core);
      CHECK(attack.core <= attack.cycles);
      CHECK(attack.cycles >= estimate->cycles());
      CHECK_FALSE(attack.reference.empty());
    }
  }
}

TEST_CASE("the published groups cost what the prototype of the estimator says", "[security]") {
  const std::map<std::string, ExpectedCycles> groups{
      {"cnt-toy", {30.3, 37.6}},           {"cnt-small", {42.0, 45.2}},
      {"cnt-medium", {49.8, 52.9}},        {"cnt-large", {58.4, 60.6}},
      {"cmnt-toy-paper", {29.8, 33.1}},    {"cmnt-small-paper", {34.1, 40.8}},
      {"cmnt-medium-paper", {38.3, 48.9}}, {"cmnt-large-paper", {42.4, 56.7}},
      {"bdghv-small", {42.0, 45.6}},       {"bdghv-medium", {49.8, 53.2}},
      {"bdghv-large", {58.4, 60.8}},       {"gh-512", {42.1, 42.1}},
      {"gh-2048", {49.3, 49.3}},           {"gh-8192", {56.8, 56.8}},
      {"gh-32768", {66.7, 66.7}},
  };
  for (const auto& [name, expected] : groups) {
    CAPTURE(name);
    const ParameterSet group = ParameterSet::named(name);
    CHECK_THAT(estimate_of(group)->cycles(), WithinAbs(expected.with_keys, 0.5));
    CHECK_THAT(estimate_of(group, {.recryption_keys = false})->cycles(),
               WithinAbs(expected.without_keys, 0.5));
  }
}

TEST_CASE("README says of each group what the estimator says", "[security]") {
  const std::map<std::string, std::vector<std::vector<std::string>>> rows{
      {"`cnt`, `bdghv`",
       {{"cnt-toy", "cnt-small", "cnt-medium", "cnt-large"},
        {"bdghv-toy", "bdghv-small", "bdghv-medium", "bdghv-large"}}},
      {"`cmnt`", {{"cmnt-toy", "cmnt-small", "cmnt-medium", "cmnt-large"}}},
      {"`cmnt-*-paper`",
       {{"cmnt-toy-paper", "cmnt-small-paper", "cmnt-medium-paper", "cmnt-large-paper"}}},
      {"`gh-512` to `gh-32768`", {{"gh-512", "gh-2048", "gh-8192", "gh-32768"}}}};
  for (const auto& [heading, families] : rows) {
    CAPTURE(heading);
    const std::vector<std::string> cells = readme_cells(heading);
    REQUIRE(cells.size() == 4);
    for (const std::vector<std::string>& groups : families) {
      for (std::size_t i = 0; i < groups.size(); ++i) {
        CAPTURE(groups[i]);
        CHECK(std::stoi(cells[i]) == estimate_of(ParameterSet::named(groups[i]))->bits());
      }
    }
  }
}

TEST_CASE("what a variant changes beside the attacked numbers leaves the estimate alone",
          "[security]") {
  for (const std::string size : {"toy", "small", "medium", "large"}) {
    CAPTURE(size);
    const double base = estimate_of(ParameterSet::named("cnt-" + size))->cycles();
    CHECK(estimate_of(ParameterSet::named("cnt-" + size + "-digits"))->cycles() == base);
    CHECK(estimate_of(ParameterSet::named("cnt-" + size + "-special"))->cycles() == base);
  }
}

TEST_CASE("the conditions of the proofs are looked at", "[security]") {
  CHECK(failing_check(*estimate_of(ParameterSet::named("cnt-large"))) == nullptr);
  // The quadratic form draws far too little randomness, and a special modulus cannot be rough.
  CHECK(failing_check(*estimate_of(ParameterSet::named("cmnt-large")))->name == "leftover hash");
  CHECK(failing_check(*estimate_of(ParameterSet::named("cnt-large-special")))->name == "roughness");
}

TEST_CASE("encryption with sparse weights is judged apart", "[security]") {
  const security::Estimate toy = *estimate_of(ParameterSet::named("cnt-toy"));
  CHECK(attack_named(toy, "sparse weights") == nullptr);
  REQUIRE(toy.optional_attacks.size() == 1);
  CHECK_THAT(toy.optional_attacks.front().cycles, WithinAbs(83, 0.6));
}

}  // namespace fhe
