// SPDX-License-Identifier: Apache-2.0
// What fhe-bench writes: as JSON, which tests/report reads, and after every operation.
#include "apps/bench/results.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/catch.hpp"
#include "tests/cli/process.hpp"

namespace fhe::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

Launch bench_launch(std::vector<std::string> arguments) {
  Launch launch{std::move(arguments)};
  launch.program = FHE_BENCH_PATH;
  return launch;
}

// The names of the operations of a run.
std::vector<std::string> operations_of(const json& run) {
  std::vector<std::string> names;
  for (const json& record : run.at("results")) names.push_back(record.at("operation"));
  return names;
}

// A pipe that nobody reads and that nothing fits into: who writes to it waits.
class FullPipe {
 public:
  explicit FullPipe(const std::filesystem::path& path) {
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    writer_ = open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(writer_ >= 0);
    const std::array<char, 4096> page{};
    while (write(writer_, page.data(), page.size()) > 0) {
    }
  }
  ~FullPipe() { close(writer_); }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;

 private:
  int writer_ = -1;
};

}  // namespace

TEST_CASE("results: a run says how many times as fast as its baseline an operation was",
          "[bench]") {
  bench::Run run;
  const auto record = [](const char* operation, const char* baseline, double seconds) {
    return bench::Record{
        .operation = operation, .unit = "once", .baseline = baseline, .seconds = seconds};
  };
  run.records = {record("slow", "", 6), record("fast", "slow", 2), record("alone", "no such", 1)};
  CHECK_FALSE(run.times_as_fast(run.records[0]));
  CHECK(run.times_as_fast(run.records[1]) == 3);
  CHECK_FALSE(run.times_as_fast(run.records[2]));
  const json results = json::parse(bench::to_json(run)).at("results");
  CHECK(results.at(1).at("times_as_fast_as_gmp") == 3);
  CHECK_FALSE(results.at(2).contains("times_as_fast_as_gmp"));
}

TEST_CASE("results: names that are not UTF-8 do not stop the writing", "[bench]") {
  bench::Run run;
  run.group = "\xff\xfe.toml";
  CHECK(json::parse(bench::to_json(run)).at("group") == "\xef\xbf\xbd\xef\xbf\xbd.toml");
}

TEST_CASE("results: a run of every operation on numbers in slots", "[bench]") {
  const Sandbox place;
  const Outcome outcome =
      Process(place,
              bench_launch({"--params", "she-mini", "--min-time", "0", "--json", "numbers.json"}))
          .wait();
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json run = json::parse(place.read("numbers.json"));
  CHECK(run.at("format") == "fhe-bench 1");
  CHECK_THAT(operations_of(run), Catch::Matchers::Contains(std::vector<std::string>{
                                     "keygen", "encrypt", "decrypt", "add", "product"}));
}

// It waits when it is to say that the first operation is measured.
TEST_CASE("results: a run that is killed has kept what it measured", "[bench]") {
  const Sandbox place;
  const FullPipe pipe(place.file("pipe"));
  Launch launch =
      bench_launch({"--params", "cnt-mini", "--min-time", "0", "--json", "measured.json"});
  launch.terminal = place.file("pipe");
  Process process(place, launch);
  constexpr int kTwoMinutes = 12000;  // of moments
  for (int i = 0; i < kTwoMinutes && !exists(place.file("measured.json")); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  process.send(SIGKILL);
  REQUIRE(process.wait().signal == SIGKILL);
  CHECK(operations_of(json::parse(place.read("measured.json"))) ==
        std::vector<std::string>{"keygen"});
}

TEST_CASE("results: a full disk leaves what was measured before", "[bench]") {
  const Sandbox place;
  Launch launch =
      bench_launch({"--params", "cnt-mini", "--min-time", "0", "--json", "measured.json"});
  launch.largest_file_bytes = 2000;
  const Outcome outcome = Process(place, launch).wait();
  CHECK(outcome.exit_code > 0);
  CHECK_THAT(outcome.err, ContainsSubstring("measured.json"));
  CHECK(place.list() == std::vector<std::string>{"measured.json"});
  const std::vector<std::string> names = operations_of(json::parse(place.read("measured.json")));
  CHECK(names.at(0) == "keygen");
  CHECK(names.size() < 5);
}

TEST_CASE("results: standard output gets one text, at the end", "[bench]") {
  const Sandbox place;
  const auto output = [&](const std::string& target) {
    const Outcome outcome =
        Process(place, bench_launch({"--params", "cnt-mini", "--min-time", "0", "--filter",
                                     "^(mult|add)$", "--json", target}))
            .wait();
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return outcome.out;
  };
  CHECK(operations_of(json::parse(output("-"))) == std::vector<std::string>{"add", "mult"});
  const std::string beside_the_table = output("/dev/stdout");
  const std::size_t first = beside_the_table.find("\"format\"");
  CHECK(first != std::string::npos);
  CHECK(beside_the_table.find("\"format\"", first + 1) == std::string::npos);
}

}  // namespace fhe::test
