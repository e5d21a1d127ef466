// SPDX-License-Identifier: Apache-2.0
// `fhe-bench report` as its users meet it: as a process that writes files. Its pages are drawn by
// Python and tested in tests/report.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/study/study_json.hpp"
#include "tests/bench/studies.hpp"
#include "tests/catch.hpp"
#include "tests/cli/process.hpp"

namespace fhe::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Arguments = std::vector<std::string>;

Outcome run_report(const Sandbox& place, Arguments arguments,
                   std::optional<std::uint64_t> largest_file_bytes = {}) {
  arguments.insert(arguments.begin(), "report");
  Launch launch{std::move(arguments)};
  launch.program = FHE_BENCH_PATH;
  launch.largest_file_bytes = largest_file_bytes;
  return Process(place, launch).wait();
}

// Fails with a sentence that holds `part`, and leaves only the files that were there before.
void check_refused(const Sandbox& place, const Arguments& arguments, const std::string& part,
                   std::optional<std::uint64_t> largest_file_bytes = {}) {
  const std::vector<std::string> files = place.list();
  const Outcome outcome = run_report(place, arguments, largest_file_bytes);
  INFO(outcome.err);
  CHECK(outcome.exit_code > 0);
  CHECK_THAT(outcome.err, ContainsSubstring(part));
  std::vector<std::string> left = place.list();
  std::erase(left, "out");  // the empty directory may stay
  CHECK(left == files);
}

void write_study(const Sandbox& place, const std::string& name) {
  place.write(name, bench::to_json(small_study()));
}

}  // namespace

TEST_CASE("report: of several files the last run of its kind counts", "[bench]") {
  const Sandbox place;
  write_study(place, "a.json");
  place.write("b.json", bench::to_json(run_of("cnt-toy", "auto", {record("keygen", 5)})));
  REQUIRE(
      run_report(place, {"--from", "a.json", "b.json", "--no-pages", "--out", "out"}).exit_code ==
      0);
  const bench::Study study = bench::read_study(place.file("out/report.json"));
  CHECK(study.runs.size() == 3);
  CHECK(study.find("cnt-toy", "auto", "keygen")->seconds == 5);
  REQUIRE(
      run_report(place, {"--from", "b.json", "a.json", "--no-pages", "--out", "out"}).exit_code ==
      0);
  CHECK(
      bench::read_study(place.file("out/report.json")).find("cnt-toy", "auto", "keygen")->seconds ==
      0.04);
}

TEST_CASE("report: a run of every operation on numbers in slots", "[bench]") {
  const Sandbox place;
  Launch launch{{"--params", "she-mini", "--min-time", "0", "--json", "numbers.json"}};
  launch.program = FHE_BENCH_PATH;
  const Outcome outcome = Process(place, launch).wait();
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const bench::Study study = bench::read_study(place.file("numbers.json"));
  for (const char* operation : {"keygen", "encrypt", "decrypt", "add", "product"}) {
    CAPTURE(operation);
    CHECK(study.find("she-mini", "auto", operation) != nullptr);
  }
}

TEST_CASE("report: what `fhe-bench scale` wrote is kept", "[bench]") {
  const Sandbox place;
  place.write("scale.json", bench::to_json(scaling_of_toy()));
  REQUIRE(run_report(place, {"--from", "scale.json", "--compare", "scale.json", "--no-pages",
                             "--out", "out"})
              .exit_code == 0);
  CHECK(
      (bench::read_study(place.file("out/report.json")).scalings == std::vector{scaling_of_toy()}));
  CHECK(place.list() == std::vector<std::string>{"out", "out/report.json", "scale.json"});
}

TEST_CASE("report: the clocks that `fhe-bench device` computes are kept", "[bench]") {
  const Sandbox place;
  Launch launch{{"device", "--json", "device.json"}};
  launch.program = FHE_BENCH_PATH;
  const Outcome outcome = Process(place, launch).wait();
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("super_size_encrypt alone"));
  REQUIRE(run_report(place, {"--from", "device.json", "--no-pages", "--out", "out"}).exit_code ==
          0);
  const bench::Study study = bench::read_study(place.file("out/report.json"));
  CHECK(study.runs.empty());
  CHECK(study.computed.size() == 44);  // 12 cells of the LHW paper, 32 of the super-size paper
}

TEST_CASE("report: measures a group on a backend", "[bench]") {
  const Sandbox place;
  const Outcome outcome =
      run_report(place, {"--quick", "--groups", "cnt-mini", "--backends", "auto", "--min-time",
                         "0.001", "--no-pages", "--out", "out"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("[1/2] cnt-mini on auto"));
  CHECK_THAT(outcome.err, ContainsSubstring("[2/2] products on auto"));
  const bench::Study study = bench::read_study(place.file("out/report.json"));
  for (const char* const operation : {"keygen", "encrypt_dense", "decrypt", "mult", "recrypt"}) {
    CHECK(study.find("cnt-mini", "auto", operation) != nullptr);
  }
  CHECK(study.find("engine", "auto", "product_786432") != nullptr);
  CHECK(study.computed.size() == 44);
  REQUIRE(study.facts.size() == 1);
  const bench::GroupFacts& facts = study.facts[0];
  CHECK(facts.scheme == "cnt");
  CHECK(facts.modulus_bits == 9216);
  CHECK(facts.public_key_bytes > facts.modulus_bits / 8);
  REQUIRE(facts.chains.size() == 2);
  for (const bench::NoiseChain& chain : facts.chains) {
    REQUIRE(chain.steps.size() >= 2);
    CHECK(chain.steps.back().bound_bits > facts.decrypt_limit_bits);
    for (std::size_t i = 0; i + 1 < chain.steps.size(); ++i) {
      CHECK(chain.steps[i].measured_bits <= chain.steps[i].bound_bits);
      CHECK(chain.steps[i].bound_bits <= facts.decrypt_limit_bits);
    }
  }
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

TEST_CASE("report: files that cannot be read are refused by name", "[bench]") {
  const Sandbox place;
  write_study(place, "good.json");
  place.write("new.json", "{\"format\": \"fhe-bench report 99\"}");
  place.write("text.json", "hello");
  place.write("empty.json", "{\"format\": \"fhe-bench report 1\", \"runs\": [], \"groups\": []}");
  check_refused(place, {"--from", "no.json", "--out", "out"}, "no.json");
  check_refused(place, {"--from", "good.json", "new.json", "--out", "out"}, "fhe-bench report 99");
  check_refused(place, {"--from", "text.json", "--out", "out"}, "text.json is no result");
  check_refused(place, {"--from", "empty.json", "--out", "out"}, "nothing to report");
  check_refused(place, {"--from", "good.json", "--compare", "text.json", "--out", "out"},
                "text.json");
  check_refused(place, {"--from", "good.json", "--compare", "empty.json", "--out", "out"},
                "nothing to compare with");
}

TEST_CASE("report: a place that cannot be written to is refused", "[bench]") {
  const Sandbox place;
  write_study(place, "good.json");
  check_refused(place, {"--from", "good.json", "--out", "good.json"}, "good.json");
  check_refused(place, {"--from", "good.json", "--out", "good.json/below"}, "good.json/below");
}

TEST_CASE("report: a full disk leaves no half-written file", "[bench]") {
  const Sandbox place;
  write_study(place, "good.json");
  check_refused(place, {"--from", "good.json", "--out", "out"}, "report.json", 1000);
}

}  // namespace fhe::test
