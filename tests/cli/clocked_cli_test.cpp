// SPDX-License-Identifier: Apache-2.0
// `fhe run --cycles` as its users meet it.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"

namespace fhe::test {

namespace {

using Json = nlohmann::json;
using Catch::Matchers::ContainsSubstring;

const std::string kCircuits = std::string(FHE_TEST_DATA_DIR) + "/circuits/";

// Five cycles of the counter, of which the third is not enabled; the step is 3.
Arguments counter_run(const std::string& ending, const Arguments& more) {
  Arguments command{"run", kCircuits + "counter" + ending, "--cycles", "5"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

Arguments encrypted_run(const Arguments& more) {
  Arguments command =
      counter_run(".blif", {"--key", "keys/public.fhe", "--input", "enable.fhe", "--input",
                            "step.fhe", "--out", "count.fhe", "--out", "wrapped.fhe"});
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

// A workplace with the inputs of these cycles.
class CounterPlace : public Workplace {
 public:
  CounterPlace() {
    encrypt("11011", "enable.fhe");
    encrypt("110", "step.fhe");
  }
};

}  // namespace

TEST_CASE("cli: a circuit with registers runs on plain numbers, in every format", "[cli]") {
  const Workplace place;
  for (const std::string ending : {".blif", ".json"}) {
    CHECK(place.succeed(counter_run(ending, {"--plain", "--input", "1,1,0,1,1", "--input", "3"}))
              .out == "count = 0xe\nwrapped = 0x0\n");
    CHECK(place
              .succeed(counter_run(
                  ending, {"--plain", "--input", "1,1,0,1,1", "--input", "0x3", "--every-cycle"}))
              .out == "count = 0x5,0x8,0xb,0xb,0xe\nwrapped = 0x0,0x0,0x0,0x0,0x0\n");
  }
  for (const std::string ending : {".aag", ".aig"}) {  // where the clock is an input
    CHECK(place
              .succeed(counter_run(
                  ending, {"--plain", "--input", "0", "--input", "1,1,0,1,1", "--input", "3"}))
              .out == "count = 0xe\nwrapped = 0x0\n");
  }
  const Json json =
      Json::parse(place
                      .succeed(counter_run(".json", {"--plain", "--input", "1", "--input", "3",
                                                     "--every-cycle", "--json"}))
                      .out);
  CHECK(json.at("outputs").at("count") == Json({"0x5", "0x8", "0xb", "0xe", "0x1"}));
  // No inputs at all, and a circuit without registers.
  CHECK(place.succeed({"run", kCircuits + "lfsr.blif", "--plain", "--cycles", "31"}).out ==
        "state = 0x10\n");
  CHECK(place
            .succeed({"run", kCircuits + "ascending_port.blif", "--plain", "--cycles", "2",
                      "--input", "1,2", "--every-cycle"})
            .out.find(',') != std::string::npos);
}

TEST_CASE("cli: a circuit with registers runs on ciphertexts", "[cli]") {
  const CounterPlace place;
  place.succeed(encrypted_run({}));
  CHECK(place.decrypt("count.fhe") == "0111\n");
  CHECK(place.decrypt("wrapped.fhe") == "0\n");
  const Json json = Json::parse(
      place.succeed(encrypted_run({"--every-cycle", "--checkpoint", "cp", "--json"})).out);
  CHECK(json.at("cycles") == 5);
  CHECK(json.at("ciphertexts") == 25);
  CHECK(json.at("recryptions") > 0);
  CHECK(place.decrypt("count.fhe") == "10100001110111010111\n");
  CHECK(place.decrypt("wrapped.fhe") == "00000\n");
  CHECK(!std::filesystem::exists(place.file("cp")));
  // What a run gives for every cycle is what another takes in every cycle.
  place.succeed(counter_run(".blif", {"--key", "keys/public.fhe", "--input", "enable.fhe",
                                      "--input", "step.fhe", "--out", "all.fhe"}));
  CHECK(place.decrypt("all.fhe") == "01110\n");
}

TEST_CASE("cli: a run of cycles that was killed goes on from its checkpoint", "[cli]") {
  const CounterPlace place;
  const Arguments command = encrypted_run({"--every-cycle", "--checkpoint", "cp"});
  const auto has_checkpoint = [&] {
    const auto files = place.list();
    return std::ranges::any_of(files, [](const std::string& f) { return f.starts_with("cp"); });
  };
  bool was_killed = false;
  for (int attempt = 0; attempt < 20 && !was_killed; ++attempt) {
    Process process(place, {command, {}});
    while (process.running() && !has_checkpoint()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    process.send(SIGKILL);
    static_cast<void>(process.wait());
    was_killed = has_checkpoint();
  }
  REQUIRE(was_killed);
  CHECK(!std::filesystem::exists(place.file("count.fhe")));
  place.succeed({"inspect", "step.fhe"});  // clears what the kill may have left
  check_failure(place, command, kUsage, "--resume");
  Arguments other =
      counter_run(".blif", {"--key", "keys/public.fhe", "--input", "enable.fhe", "--input",
                            "step.fhe", "--out", "all.fhe", "--checkpoint", "cp", "--resume"});
  if (std::filesystem::exists(place.file("cp")))
    check_failure(place, other, kUsage, "other outputs");
  Arguments resumed = command;
  resumed.insert(resumed.end(), {"--resume", "--json"});
  const Json json = Json::parse(place.succeed(resumed).out);
  CHECK(json.at("resumed_cycles").get<int>() + json.at("resumed_values").get<int>() > 0);
  CHECK(place.decrypt("count.fhe") == "10100001110111010111\n");
  CHECK(!has_checkpoint());
}

TEST_CASE("cli: circuits with registers are described", "[cli]") {
  const Workplace place;
  CHECK_THAT(place.succeed({"circuit", "info", kCircuits + "counter.blif"}).out,
             ContainsSubstring("registers  4; what follows is for one cycle"));
  const Json json = Json::parse(place
                                    .succeed({"circuit", "info", kCircuits + "counter.json",
                                              "--params", "cnt-mini", "--json"})
                                    .out);
  CHECK(json.at("registers") == 4);
  CHECK(json.at("inputs").size() == 2);
  CHECK(json.at("prediction").at("recryptions") > 0);
  CHECK_THAT(place.succeed({"circuit", "info", kCircuits + "lock.aig", "--params", "cnt-mini"}).out,
             ContainsSubstring("on this machine, in each cycle"));
}

TEST_CASE("cli: runs of cycles that cannot be are refused", "[cli]") {
  const CounterPlace place;
  const auto plain = [&](const Arguments& more, const std::string& what) {
    Arguments command{"run", kCircuits + "counter.blif", "--plain"};
    command.insert(command.end(), more.begin(), more.end());
    check_failure(place, command, kUsage, what);
  };
  plain({"--input", "1", "--input", "3"}, "--cycles");
  plain({"--input", "1", "--input", "3", "--every-cycle"}, "--cycles");
  plain({"--input", "1", "--cycles", "3"}, "--input once for each");
  plain({"--input", "1,1", "--input", "3", "--cycles", "3"}, "2 values");
  plain({"--input", "1,,1", "--input", "3", "--cycles", "3"}, "no number");
  plain({"--input", "1", "--input", "8", "--cycles", "3"}, "takes 3");
  plain({"--input", "1", "--input", "3", "--cycles", "0"}, "--cycles");
  plain({"--input", "1", "--input", "3", "--cycles", "3", "--checkpoint", "cp"}, "--plain");
  place.encrypt("1101", "four.fhe");
  check_failure(place,
                {"run", kCircuits + "counter.blif", "--cycles", "5", "--key", "keys/public.fhe",
                 "--input", "four.fhe", "--input", "step.fhe", "--out", "out.fhe"},
                kUsage, "takes 1 for all cycles, or 1 for each of the 5");
  check_failure(place, encrypted_run({"--max-ciphertexts", "12", "--every-cycle"}), kUsage,
                "count.fhe");
  place.write("two_clocks.blif",
              ".model m\n.inputs d c e\n.outputs q\n.latch d t re c 0\n.latch t q re e 0\n.end\n");
  check_failure(place, {"circuit", "info", "two_clocks.blif"}, kBadFile, "two_clocks.blif:5: ");
  place.write("nets.json", "{\"modules\": {\"m\": \n");
  check_failure(place, {"circuit", "info", "nets.json"}, kBadFile, "nets.json:2: ");
  place.write("nets.aig", "aig 1\n");
  check_failure(place, {"circuit", "info", "nets.aig"}, kBadFile, "nets.aig:1: ");
}

}  // namespace fhe::test
