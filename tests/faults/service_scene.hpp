// SPDX-License-Identifier: Apache-2.0
// A service of apps/outsource that something happens to, and what must hold for the next server.
#pragma once

#include <filesystem>
#include <string>

#include "tests/apps/outsource_service.hpp"

namespace fhe::faults {

inline constexpr const char* kServer = "serve";  // on the command line of the server

// A service whose server may be disturbed, with a circuit, a key and inputs.
class DisturbedService : public test::Service {
 public:
  static constexpr const char* kCircuit = "add.txt";

  DisturbedService();

  // A job from the upload of its key to its result; the sum of 3 and 1.
  [[nodiscard]] test::Outcome submit() const;

  // Empty when a submission gave the right result.
  [[nodiscard]] std::string wrong_result(const test::Outcome& outcome) const;
};

// The names of files in the data of a service that no server needs; empty when there are none.
[[nodiscard]] std::string leftovers_in(const std::filesystem::path& data);

// What is wrong with a server on what the disturbed one left: a submission must succeed, all jobs
// end, and everything of a client can be removed. Empty when nothing is.
[[nodiscard]] std::string wrong_after_restart(DisturbedService& service);

}  // namespace fhe::faults
