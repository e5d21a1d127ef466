// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/service_scene.hpp"

#include <csignal>

#include <fmt/format.h>

#include "libfhe/circuit/bristol.hpp"
#include "tests/support/circuits.hpp"

namespace fhe::faults {

namespace fs = std::filesystem;
using test::Outcome;

DisturbedService::DisturbedService() {
  test::ship(*this, kCircuit, test::adder_circuit(2));
  encrypt("11", "a.fhe");
  encrypt("10", "b.fhe");
}

Outcome DisturbedService::submit() const {
  fs::remove(file("sum.fhe"));
  return client({"submit", "--key", "keys/public.fhe", "--circuit", kCircuit, "--input", "a.fhe",
                 "--input", "b.fhe", "--out", "sum.fhe"});
}

std::string DisturbedService::wrong_result(const Outcome& outcome) const {
  if (outcome.exit_code != 0) return fmt::format("{}: {}", outcome.exit_code, outcome.err);
  const Outcome bits = run({{"decrypt", "--key", "keys/secret.fhe", "sum.fhe"}});
  return bits.out == "00\n" ? "" : fmt::format("the sum is '{}'", bits.out);
}

std::string leftovers_in(const fs::path& data) {
  std::string names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(data)) {
    const fs::path name = entry.path().filename();
    const bool hidden = name.string().starts_with('.');
    if (hidden || entry.path().parent_path().filename() == "incoming")
      names += entry.path().lexically_relative(data).string() + " ";
  }
  return names;
}

std::string wrong_after_restart(DisturbedService& service) {
  if (!service.try_start({test::Service::serve_command()})) {
    return "the next server does not start: " + service.server().error_output();
  }
  std::string problem = service.wrong_result(service.submit());
  service.forget_jobs();
  const auto keys = service.expect(200, "GET", "/v1/keys");
  for (const auto& key : keys.at("keys")) {
    static_cast<void>(service.expect(200, "DELETE", "/v1/keys/" + key.at("id").get<std::string>()));
  }
  if (problem.empty() && service.stop(SIGTERM) != 0) problem = "it does not stop";
  const std::string leftovers = leftovers_in(service.file("data"));
  if (problem.empty() && !leftovers.empty()) problem = "it leaves " + leftovers;
  return problem.empty() ? "" : "the next server: " + problem;
}

}  // namespace fhe::faults
