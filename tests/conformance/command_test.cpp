// SPDX-License-Identifier: Apache-2.0
// `fhe backends test`, run as a user would.
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/process.hpp"

namespace fhe::test {

namespace {

Outcome fhe_backends(std::vector<std::string> arguments) {
  const Sandbox sandbox;
  arguments.insert(arguments.begin(), "backends");
  return Process(sandbox, {.arguments = std::move(arguments)}).wait();
}

}  // namespace

TEST_CASE("a test of a backend ends with the totals") {
  const Outcome outcome = fhe_backends({"test", "ntl", "--only", "residues", "--seed", "77"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.find("seed 77\n") != std::string::npos);
  CHECK(outcome.out.find("residues: residues of a stream\n") != std::string::npos);
  CHECK(outcome.out.find("\n3 cases passed and 0 failed, with 210 checks in ") !=
        std::string::npos);
  CHECK(outcome.err.empty());
}

TEST_CASE("a test of a backend as JSON") {
  const Outcome outcome =
      fhe_backends({"test", "ntl", "--json", "--only", "ring", "--without-many"});
  CHECK(outcome.exit_code == 0);
  const auto report = nlohmann::json::parse(outcome.out);
  CHECK(report.at("backend") == "ntl");
  CHECK_FALSE(report.at("description").get<std::string>().empty());
  CHECK(report.at("seed") == 1);
  CHECK(report.at("failed") == 0);
  CHECK(report.at("passed") == report.at("cases").size());
  CHECK(report.at("seconds") > 0);
  for (const auto& one : report.at("cases")) {
    CHECK(one.at("area") == "ring");
    CHECK(one.at("passed") == true);
    CHECK(one.at("checks") > 0);
    CHECK(one.at("failures").empty());
    CHECK(one.at("name") != "reduction in rings of every kind of modulus");
  }
}

TEST_CASE("backends that do not exist are not tested") {
  CHECK(fhe_backends({"test"}).exit_code == 2);
  CHECK(fhe_backends({"test", "ntl", "--only", "no such case"}).exit_code == 2);
  const Outcome outcome = fhe_backends({"test", "abacus"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("no backend named 'abacus'") != std::string::npos);
}

TEST_CASE("without a command behind it, backends lists them") {
  const Outcome list = fhe_backends({});
  CHECK(list.exit_code == 0);
  CHECK(list.out.find("auto (default)") != std::string::npos);
  CHECK(nlohmann::json::parse(fhe_backends({"--json"}).out).at("backends").size() >= 3);
  CHECK(fhe_backends({"abacus"}).exit_code == 2);
}

}  // namespace fhe::test
