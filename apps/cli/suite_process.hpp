// SPDX-License-Identifier: Apache-2.0
// The conformance suite in a process of its own: a backend may crash it, hang in it or end it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/cli/output.hpp"
#include "apps/conformance/suite.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::cli {

// What is to be tested.
struct BackendTest {
  std::string backend;
  conformance::Selection selection;
  std::uint64_t seed = conformance::kUsualSeed;
  std::chrono::seconds most_time{};  // of the opening and of each case
};

// How a run is told what is going on; on the thread that runs it.
struct SuiteWatch {
  std::function<void(const std::string& description)> opened;  // once
  std::function<void(const conformance::Outcome&)> after;
  Monitor monitor;
};

// The command behind `fhe backends` by which this program runs the suite for another process of it.
inline constexpr const char* kSuiteCommand = "run-suite";

// What became of a case, for reports.
[[nodiscard]] Json json_of(const conformance::Outcome& outcome);

// Runs all cases of the selection, and returns what became of them. A case that ends its process,
// or takes too long, has failed; the others are run in another one. Throws what opening the backend
// throws, and Error(wrong_result) when that ends the process or takes too long.
std::vector<conformance::Outcome> run_suite_apart(const BackendTest& test, const SuiteWatch& watch);

// The other side: runs the cases from the number `first` on, and prints what run_suite_apart reads.
void run_suite_here(const BackendTest& test, std::size_t first, const Monitor& monitor);

}  // namespace fhe::cli
