// SPDX-License-Identifier: Apache-2.0
// `fhe backends test`: the conformance suite on one backend.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/suite_process.hpp"
#include "apps/conformance/suite.hpp"
#include "apps/support/failure.hpp"

namespace fhe::cli {

namespace {

struct Totals {
  std::size_t checks = 0;
  std::size_t failed = 0;
};

Totals totals_of(const std::vector<conformance::Outcome>& outcomes) {
  Totals totals;
  for (const conformance::Outcome& outcome : outcomes) {
    totals.checks += outcome.checks;
    if (!outcome.passed) ++totals.failed;
  }
  return totals;
}

std::string outcome_text(const conformance::Outcome& outcome) {
  return fmt::format("{:<6} {:>5} checks {:>7.2f} s  {}: {}\n", outcome.passed ? "ok" : "FAILED",
                     outcome.checks, outcome.seconds, outcome.area, outcome.name);
}

std::string failures_text(const std::vector<conformance::Outcome>& outcomes) {
  std::string text;
  for (const conformance::Outcome& outcome : outcomes) {
    if (outcome.passed) continue;
    text += fmt::format("\n{}: {}\n", outcome.area, outcome.name);
    // What a backend says in its exceptions is printed too.
    for (const std::string& failure : outcome.failures) {
      text += fmt::format("  {}\n", apps::one_line(failure));
    }
  }
  return text;
}

Report report_of(const std::string& description, const BackendTest& test,
                 const std::vector<conformance::Outcome>& outcomes, double seconds) {
  const auto [checks, failed] = totals_of(outcomes);
  const std::size_t passed = outcomes.size() - failed;
  Report report;
  report.json = {{"backend", test.backend}, {"description", description}, {"seed", test.seed},
                 {"cases", Json::array()},  {"checks", checks},           {"passed", passed},
                 {"failed", failed},        {"seconds", seconds}};
  for (const auto& outcome : outcomes) report.json["cases"].push_back(json_of(outcome));
  report.text = failures_text(outcomes) +
                fmt::format("\n{} cases passed and {} failed, with {} checks in {:.1f} s\n", passed,
                            failed, checks, seconds);
  report.exit_code = failed == 0 ? apps::ExitCode::success : apps::ExitCode::failure;
  return report;
}

// As text, each case is printed as soon as it is done.
Report test_backend(Session& session, const BackendTest& test, bool as_json) {
  std::string description;
  const auto opened = [&](const std::string& text) {
    description = text;
    if (as_json) return;
    print(fmt::format("{}: {}\nseed {}\n\n", test.backend, apps::one_line(text), test.seed));
  };
  const auto after = [&](const conformance::Outcome& outcome) {
    session.progress().clear();
    if (!as_json) print(outcome_text(outcome));
  };
  const auto outcomes =
      run_suite_apart(test, {.opened = opened, .after = after, .monitor = session.monitor()});
  return report_of(description, test, outcomes, session.seconds());
}

// What the command and its other process are told by.
struct Settings {
  BackendTest test;
  bool without_many = false;
  std::uint64_t most_seconds = 7200;
  std::uint64_t first = 0;

  // The test that they stand for.
  [[nodiscard]] BackendTest whole() const {
    BackendTest whole = test;
    whole.selection.with_many = !without_many;
    whole.most_time = std::chrono::seconds(most_seconds);
    return whole;
  }
};

void add_settings(const apps::Command& command, Settings& settings) {
  command
      .option("BACKEND", settings.test.backend,
              "The backend, as option --backend of other commands has it")
      .value_name("")
      .required();
  command.flag("--long", settings.test.selection.with_long,
               "Run the long cases too: minutes, and gigabytes of memory");
  command.flag("--without-many", settings.without_many,
               "Leave out cases of many operations: they take a simulated device an hour");
  command
      .option("--only", settings.test.selection.only,
              "Run the cases that have this in their name or area")
      .value_name("TEXT");
  command.option("--seed", settings.test.seed, "Draw the random operands from this number")
      .value_name("N")
      .decimal()
      .shows_default();
}

}  // namespace

void add_backends_test_command(CommandLine& line, const apps::Command& backends) {
  const auto settings = std::make_shared<Settings>();
  const apps::Command test = line.add_command(
      backends, "test",
      "Compare everything that a backend does with plain integer arithmetic (exit code 1: it "
      "failed)",
      "fhe backends test plugin:/path/of/my_backend.so", [settings, &line](Session& session) {
        return test_backend(session, settings->whole(), line.common().json);
      });
  add_settings(test, *settings);
  test.option("--case-limit", settings->most_seconds, "A case that takes longer has failed")
      .value_name("SECONDS")
      .decimal(1'000'000)
      .shows_default();

  const apps::Command suite =
      line.add_command(backends, kSuiteCommand, "Runs the suite for `fhe backends test`",
                       "fhe backends test auto", [settings](Session& session) {
                         run_suite_here(settings->whole(), settings->first, session.monitor());
                         return Report{};
                       });
  suite.hide();
  add_settings(suite, *settings);
  suite.option("FIRST", settings->first, "The number of the first case").value_name("").required();
}

}  // namespace fhe::cli
