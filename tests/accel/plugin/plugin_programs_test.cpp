// SPDX-License-Identifier: Apache-2.0
// Plug-ins in programs, run as a user would.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/accel/plugin/plugins.hpp"
#include "tests/catch.hpp"
#include "tests/cli/process.hpp"

namespace fhe::test {

namespace {

namespace fs = std::filesystem;

// `fhe backends test` of the plug-in that lies.
Outcome test_of_liar(const std::string& way, std::vector<std::string> more = {}) {
  const Sandbox sandbox;
  std::vector<std::string> arguments{"backends", "test",
                                     "plugin:" + plugin("liar").string() + ":" + way};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return Process(sandbox, {.arguments = std::move(arguments)}).wait();
}

}  // namespace

TEST_CASE("a plug-in that ends or blocks the process that opens it has failed its test") {
  const auto fails = [](const Outcome& outcome, const std::string& what) {
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find("opening the backend plugin:" + plugin("liar").string()) !=
          std::string::npos);
    CHECK(outcome.err.find(what) != std::string::npos);
  };
  fails(test_of_liar("crashes_in_open"), "ended the process by signal 6 (Aborted)");
  fails(test_of_liar("ends_in_open"), "ended the process by exit code 3");
  fails(test_of_liar("hangs_in_open", {"--case-limit", "1"}), "did not end within 1 s");
}

TEST_CASE("a plug-in that crashes or hangs in some cases is tested in the others") {
  const auto failures = [](const Outcome& outcome) {
    CHECK(outcome.exit_code == 1);
    std::vector<std::string> messages;
    const auto report = nlohmann::json::parse(outcome.out);
    CHECK(report.at("failed").get<std::size_t>() + report.at("passed").get<std::size_t>() ==
          report.at("cases").size());
    for (const auto& one : report.at("cases")) {
      for (const auto& message : one.at("failures")) messages.push_back(message);
    }
    return messages;
  };
  const auto crashes = failures(test_of_liar("crashes", {"--json", "--only", "products of"}));
  CHECK(std::ranges::count(crashes, "the case ended the process by signal 6 (Aborted)") > 1);
  CHECK(failures(
            test_of_liar("hangs", {"--json", "--only", "very different", "--case-limit", "1"})) ==
        std::vector<std::string>{"the case did not end within 1 s"});
}

TEST_CASE("a program has failed when a plug-in calls exit() in the middle of its work") {
  const Sandbox sandbox;
  const auto run = [&](std::vector<std::string> arguments) {
    return Process(sandbox, {.arguments = std::move(arguments)}).wait();
  };
  REQUIRE(run({"keygen", "--params", "cnt-mini", "--out", "keys"}).exit_code == 0);
  const auto fails = [&](const std::string& name, const std::string& options) {
    const std::string backend = "plugin:" + plugin(name).string() + ":" + options;
    CAPTURE(backend);
    const Outcome outcome = run({"encrypt", "--key", "keys/public.fhe", "--bits", "1", "--out",
                                 "bits.fhe", "--backend", backend});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err.find("the plug-in " + plugin(name).string() + " called exit()") !=
          std::string::npos);
    CHECK_FALSE(fs::exists(sandbox.file("bits.fhe")));
  };
  fails("exits", "");
  fails("liar", "exits_in_open");
  fails("liar", "exits");
}

TEST_CASE("a plug-in that crashes when it is opened does not end the list of backends") {
  const Sandbox sandbox;
  fs::copy(plugin("crash"), sandbox.file("crash.so"));
  const Outcome list =
      Process(sandbox, {.arguments = {"backends"},
                        .environment = {"FHE_BACKEND_PATH=" + sandbox.file("").string()}})
          .wait();
  CHECK(list.exit_code == 0);
  CHECK(list.out.find("not usable here: opening it ended the process by signal 6") !=
        std::string::npos);
}

TEST_CASE("programs find plug-ins by name, in folders that are named and nowhere else") {
  const Sandbox sandbox;
  fs::create_directory(sandbox.file("folder"));
  fs::copy(plugin("mirror"), sandbox.file("folder/mirror.so"));
  fs::copy(plugin("next_version"), sandbox.file("folder/newer.so"));
  fs::copy(plugin("plain"), sandbox.file("folder/ntl.so"));
  fs::copy(plugin("plain"), sandbox.file("folder/Not A Name.so"));
  fs::copy(plugin("plain"), sandbox.file("here.so"));
  const std::string folder = sandbox.file("folder");
  const auto run = [&](std::vector<std::string> arguments, const std::string& folders) {
    return Process(sandbox, {.arguments = std::move(arguments),
                             .environment = {"FHE_BACKEND_PATH=" + folders}})
        .wait();
  };

  const Outcome list = run({"backends", "--json"}, "relative:.::" + folder);
  REQUIRE(list.exit_code == 0);
  const auto backends = nlohmann::json::parse(list.out).at("backends");
  const auto reason = [&](const std::string& name) -> std::string {
    for (const auto& backend : backends) {
      if (backend.at("name") != name) continue;
      CHECK_FALSE(backend.at("default"));
      return backend.at("usable") ? "" : backend.at("reason").get<std::string>();
    }
    return "not listed";
  };
  CHECK(reason("mirror").find("which backend is to be mirrored?") != std::string::npos);
  CHECK(reason("newer").find("speaks version 2") != std::string::npos);
  CHECK(reason(folder + "/ntl.so").find("another backend has the name 'ntl'") != std::string::npos);
  CHECK(reason("relative").find("'relative' of FHE_BACKEND_PATH is left out") != std::string::npos);
  CHECK(reason("here") == "not listed");
  CHECK(reason("Not A Name") == "not listed");

  const auto encrypt = [&](const std::string& backend) {
    return run({"encrypt", "--key", "keys/public.fhe", "--bits", "10110", "--out", "bits.fhe",
                "--backend", backend},
               "");
  };
  // On one thread: what OpenSSL keeps for another one counts as leaked when a plug-in is loaded.
  const Outcome keys = run({"keygen", "--params", "cnt-mini", "--out", "keys", "--threads", "1",
                            "--backend", "mirror:auto"},
                           folder);
  INFO(keys.err);
  CHECK(keys.exit_code == 0);
  CHECK(encrypt("here").exit_code != 0);
  CHECK(encrypt("plugin:here.so").exit_code != 0);
  CHECK(encrypt("plugin:./here.so").exit_code == 0);
  const Outcome plain = run({"decrypt", "--key", "keys/secret.fhe", "bits.fhe"}, "");
  CHECK(plain.out.find("10110") != std::string::npos);
}

}  // namespace fhe::test
