// SPDX-License-Identifier: Apache-2.0
// `fhe-bench report` as its users meet it, where it measures. What Python does with the files is
// tested in tests/report.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/process.hpp"

namespace fhe::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;
using Arguments = std::vector<std::string>;

Outcome run_bench(const Sandbox& place, Arguments arguments,
                  std::optional<std::uint64_t> largest_file_bytes = {}) {
  Launch launch{std::move(arguments)};
  launch.program = FHE_BENCH_PATH;
  launch.largest_file_bytes = largest_file_bytes;
  return Process(place, launch).wait();
}

// One quick group on one backend.
Outcome measure_mini(const Sandbox& place, std::optional<std::uint64_t> largest_file_bytes = {}) {
  return run_bench(place,
                   {"report", "--quick", "--groups", "cnt-mini", "--backends", "auto", "--min-time",
                    "0.001", "--no-pages", "--out", "out"},
                   largest_file_bytes);
}

// Fails with a sentence that holds `part`, and leaves nothing but the directory.
void check_refused(const Sandbox& place, Arguments arguments, const std::string& part) {
  arguments.insert(arguments.begin(), "report");
  const Outcome outcome = run_bench(place, arguments);
  INFO(outcome.err);
  CHECK(outcome.exit_code > 0);
  CHECK_THAT(outcome.err, ContainsSubstring(part));
  std::vector<std::string> left = place.list();
  std::erase(left, "out");
  CHECK(left.empty());
}

bool has_operation(const json& run, const std::string& operation) {
  return std::ranges::any_of(
      run.at("results"), [&](const json& record) { return record.at("operation") == operation; });
}

void check_noise(const json& chain, double decrypt_limit_bits) {
  const json& steps = chain.at("steps");
  REQUIRE(steps.size() >= 2);
  CHECK(steps.back().at("bound_bits") > decrypt_limit_bits);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    CHECK(steps[i].at("measured_bits") <= steps[i].at("bound_bits"));
    CHECK(steps[i].at("bound_bits") <= decrypt_limit_bits);
  }
}

}  // namespace

TEST_CASE("report: the clocks that `fhe-bench device` computes", "[bench]") {
  const Sandbox place;
  const Outcome outcome = run_bench(place, {"device", "--json", "device.json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("super_size_encrypt alone"));
  const json study = json::parse(place.read("device.json"));
  CHECK(study.at("runs").empty());
  // 12 cells of the LHW paper, 32 of the super-size paper
  CHECK(study.at("computed").size() == 44);
}

TEST_CASE("report: measures a group on a backend", "[bench]") {
  const Sandbox place;
  const Outcome outcome = measure_mini(place);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("[1/2] cnt-mini on auto"));
  CHECK_THAT(outcome.err, ContainsSubstring("[2/2] products on auto"));
  const json study = json::parse(place.read("out/report.json"));
  const json& runs = study.at("runs");
  REQUIRE(runs.size() == 2);
  for (const char* const operation : {"keygen", "encrypt_dense", "decrypt", "mult", "recrypt"}) {
    CHECK(has_operation(runs[0], operation));
  }
  CHECK(runs[1].at("group") == "engine");
  CHECK(has_operation(runs[1], "product_786432"));
  CHECK(study.at("computed").size() == 44);
  REQUIRE(study.at("groups").size() == 1);
  const json& facts = study.at("groups")[0];
  CHECK(facts.at("scheme") == "cnt");
  CHECK(facts.at("modulus_bits") == 9216);
  CHECK(facts.at("public_key_bytes") > 9216 / 8);
  REQUIRE(facts.at("noise").size() == 2);
  for (const json& chain : facts.at("noise")) check_noise(chain, facts.at("decrypt_limit_bits"));
}

TEST_CASE("report: a full disk leaves what was measured before", "[bench]") {
  constexpr std::uint64_t kRoomForSome = 14000;  // the computed clocks and a few operations
  const Sandbox place;
  const Outcome outcome = measure_mini(place, kRoomForSome);
  CHECK(outcome.exit_code > 0);
  CHECK_THAT(outcome.err, ContainsSubstring("report.json"));
  CHECK(place.list() == std::vector<std::string>{"out", "out/report.json"});
  const json study = json::parse(place.read("out/report.json"));
  REQUIRE(study.at("runs").size() == 1);
  CHECK(has_operation(study.at("runs")[0], "keygen"));
  CHECK_FALSE(has_operation(study.at("runs")[0], "recrypt"));
}

TEST_CASE("report: unknown names are refused before anything is measured", "[bench]") {
  const Sandbox place;
  check_refused(place, {"--groups", "cnt-huge", "--out", "out"}, "cnt-huge");
  check_refused(place, {"--schemes", "rsa", "--out", "out"}, "rsa");
  check_refused(place, {"--backends", "abacus", "--out", "out"}, "abacus");
  check_refused(place, {"--groups", "cnt-toy", "--schemes", "gh", "--out", "out"},
                "none of the groups cnt-toy is of the schemes gh");
}

TEST_CASE("report: wrong command lines are refused", "[bench]") {
  const Sandbox place;
  check_refused(place, {"--quick"}, "--out");
  check_refused(place, {"--from", "a.json", "--quick", "--out", "out"}, "--from");
  check_refused(place, {"--min-time", "-1", "--out", "out"}, "--min-time");
}

TEST_CASE("report: a place that cannot be written to is refused", "[bench]") {
  const Sandbox place;
  check_refused(place, {"--out", "/dev/null/below"}, "/dev/null/below");
}

}  // namespace fhe::test
