// SPDX-License-Identifier: Apache-2.0
// Plug-ins in programs, run as a user would.
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

}  // namespace

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
  CHECK(reason("here") == "not listed");
  CHECK(reason("Not A Name") == "not listed");

  const auto encrypt = [&](const std::string& backend) {
    return run({"encrypt", "--key", "keys/public.fhe", "--bits", "10110", "--out", "bits.fhe",
                "--backend", backend},
               "");
  };
  CHECK(run({"keygen", "--params", "cnt-mini", "--out", "keys", "--backend", "mirror:auto"}, folder)
            .exit_code == 0);
  CHECK(encrypt("here").exit_code != 0);
  CHECK(encrypt("plugin:here.so").exit_code != 0);
  CHECK(encrypt("plugin:./here.so").exit_code == 0);
  const Outcome plain = run({"decrypt", "--key", "keys/secret.fhe", "bits.fhe"}, "");
  CHECK(plain.out.find("10110") != std::string::npos);
}

}  // namespace fhe::test
