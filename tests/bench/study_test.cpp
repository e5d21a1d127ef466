// SPDX-License-Identifier: Apache-2.0
// Studies: which run is which, and JSON in both directions.
#include <fstream>

#include "apps/study/study_json.hpp"
#include "tests/bench/studies.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

using namespace bench;

void check_same(const Study& a, const Study& b) {
  REQUIRE(a.runs.size() == b.runs.size());
  for (std::size_t i = 0; i < a.runs.size(); ++i) {
    CHECK(a.runs[i].machine == b.runs[i].machine);
    CHECK(a.runs[i].group == b.runs[i].group);
    CHECK(a.runs[i].backend == b.runs[i].backend);
    CHECK(a.runs[i].backend_description == b.runs[i].backend_description);
    CHECK(a.runs[i].threads == b.runs[i].threads);
    CHECK((a.runs[i].records == b.runs[i].records));
  }
  CHECK((a.facts == b.facts));
  CHECK((a.scalings == b.scalings));
  CHECK((a.computed == b.computed));
}

void check_malformed(const std::string& text, const std::string& part) {
  INFO(text.substr(0, 200));
  CHECK_THROWS_MATCHES(study_from_json(text, "s.json"), Error,
                       HasCode(ErrorCode::malformed_file, part));
  CHECK_THROWS_MATCHES(study_from_json(text, "s.json"), Error,
                       HasCode(ErrorCode::malformed_file, "s.json"));
}

// The JSON of the small study with its first `from` replaced.
std::string spoilt(const std::string& from, const std::string& to) {
  std::string text = to_json(small_study());
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("study: the last run of a group, backend and number of threads counts", "[bench]") {
  Study study = small_study();
  study.add(run_of("cnt-toy", "ntl", {record("keygen", 7), record("aes_state", 2)}));
  CHECK(study.runs.size() == 3);
  CHECK(study.find("cnt-toy", "ntl", "keygen")->seconds == 7);
  CHECK(study.find("cnt-toy", "ntl", "aes_state")->seconds == 2);
  // What was not measured again stays, if it was on this machine.
  CHECK(study.find("cnt-toy", "ntl", "encrypt_dense")->seconds == 0.0025);
  Run elsewhere = run_of("cnt-toy", "ntl", {record("keygen", 8)});
  elsewhere.machine.processor = "another";
  study.add(std::move(elsewhere));
  CHECK(study.runs.size() == 3);
  CHECK(study.find("cnt-toy", "ntl", "keygen")->seconds == 8);
  CHECK(study.find("cnt-toy", "ntl", "encrypt_dense") == nullptr);
  CHECK(study.find("cnt-small", "ntl") == nullptr);
  CHECK(study.label(study.runs[1]) == "ntl");
}

TEST_CASE("study: runs of other numbers of threads have their own names", "[bench]") {
  Study study = small_study();
  Run run = run_of("cnt-toy", "auto", {record("keygen", 0.06)});
  run.threads = 1;
  study.add(std::move(run));
  CHECK(study.label(study.runs[1]) == "ntl, 2 threads");
  CHECK(study.find("cnt-toy", "auto, 1 thread", "keygen")->seconds == 0.06);
}

TEST_CASE("study: the last clocks computed of a design, group and operation count", "[bench]") {
  Study more;
  ComputedClocks clocks = computed_of_toy();
  clocks.clocks = 5;
  more.add(clocks);
  clocks.operation = "encrypt_sparse";
  more.add(clocks);
  Study study = small_study();
  study.add(std::move(more));
  REQUIRE(study.computed.size() == 2);
  CHECK(study.computed[0].clocks == 5);
  CHECK((study.computed[1] == clocks));
}

TEST_CASE("study: JSON gives back what was written", "[bench]") {
  const Study study = small_study();
  check_same(study_from_json(to_json(study), "s.json"), study);
  Study one;
  one.add(study.runs[2]);
  check_same(study_from_json(to_json(study.runs[2]), "s.json"), one);
  Study scaled;
  scaled.add(study.scalings[0]);
  check_same(study_from_json(to_json(study.scalings[0]), "s.json"), scaled);
}

TEST_CASE("study: names that are not UTF-8 do not stop the writing", "[bench]") {
  Study study;
  study.add(run_of("\xff\xfe.toml", "auto", {record("keygen", 1)}));
  CHECK(study_from_json(to_json(study), "s.json").runs.at(0).group ==
        "\xef\xbf\xbd\xef\xbf\xbd.toml");
}

TEST_CASE("study: files of earlier versions can be read", "[bench]") {
  const Study study = read_study(std::filesystem::path(FHE_TEST_DATA_DIR) / "bench-run-1.json");
  const Record* const encrypt = study.find("cnt-toy", "auto", "encrypt_dense");
  REQUIRE(encrypt != nullptr);
  CHECK(encrypt->seconds == 0.00021273);
  CHECK(encrypt->peak_memory_bytes == 16936960);
  CHECK_FALSE(encrypt->device);
}

TEST_CASE("study: what is no result of fhe-bench is refused with the reason", "[bench]") {
  check_malformed("", "parse error");
  check_malformed("[1, 2", "parse error");
  check_malformed("[]", "array");
  check_malformed("{}", "'format' not found");
  check_malformed("{\"format\": 1}", "type must be string");
  check_malformed(spoilt("fhe-bench report 1", "fhe-bench report 2"), "'fhe-bench report 2'");
  check_malformed("{\"format\": \"fhe-bench 1\"}", "not found");
  check_malformed(spoilt("\"seconds\": 0.04", "\"seconds\": \"0.04\""), "type must be number");
  check_malformed(spoilt("\"seconds\": 0.04", "\"seconds\": 0"),
                  "'seconds' is 0, which is too small");
  check_malformed(spoilt("\"seconds\": 0.04", "\"seconds\": -1"), "'seconds' is -1, not from 0");
  check_malformed(spoilt("\"seconds\": 0.04", "\"seconds\": 1e999"), "out_of_range");
  check_malformed(spoilt("\"seconds\": 0.04", "\"seconds\": 1e300"), "'seconds' is 1e+300");
  check_malformed(spoilt("\"seconds\": 0.04", "\"seconds\": 5e-324"), "too small");
  check_malformed(spoilt("\"iterations\": 3", "\"iterations\": 3.5"), "'iterations' is no count");
  check_malformed(spoilt("\"cores\": 2", "\"cores\": 5000000000"), "'cores' is no count");
  check_malformed(spoilt("\"results\"", "\"result\""), "'results' not found");
  check_malformed(spoilt("\"depth\": 0", "\"depth\": -1"), "'depth' is -1");
  check_malformed(spoilt("\"workers\": 32", "\"workers\": 0"), "'workers' is 0");
  check_malformed(spoilt("\"slept_seconds\": 5", "\"slept_seconds\": 0"), "too small");
  check_malformed(spoilt("\"chain_seconds\"", "\"chains\""), "'chain_seconds' not found");
  check_malformed(spoilt("\"device_cycles\": 110096", "\"device_cycles\": 0.5"),
                  "'device_cycles' is no count");
  check_malformed(spoilt("\"device_hertz\": 166450000.0", "\"device_hertz\": 0"), "too small");
  check_malformed(spoilt("\"module\"", "\"modul\""), "'module' not found");
  check_malformed(std::string(100'000, '['), "parse error");
}

TEST_CASE("study: files that cannot be read are errors of input", "[bench]") {
  const TemporaryDirectory directory;
  CHECK_THROWS_MATCHES(read_study(directory / "missing.json"), Error,
                       HasCode(ErrorCode::io, "missing.json"));
  CHECK_THROWS_MATCHES(read_study(directory.path()), Error, HasCode(ErrorCode::io));
  std::ofstream(directory / "huge.json").close();
  std::filesystem::resize_file(directory / "huge.json", std::uintmax_t{65} << 20);
  CHECK_THROWS_MATCHES(read_study(directory / "huge.json"), Error,
                       HasCode(ErrorCode::io, "larger than 64 MiB"));
}

}  // namespace fhe::test
