// SPDX-License-Identifier: Apache-2.0
// `fhe backends test`: the conformance suite on one backend.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "apps/cli/command_line.hpp"
#include "apps/conformance/suite.hpp"
#include "apps/support/failure.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe::cli {

namespace {

struct BackendTest {
  std::string backend;
  conformance::Selection selection;
  bool without_many = false;
  std::uint64_t seed = conformance::kUsualSeed;
};

// Says on standard error which case is running, after each minute of it: a backend that hangs does
// not say so itself.
class SlowCaseWarnings {
 public:
  void begin(std::string_view name) {
    {
      const std::lock_guard lock(guard_);
      name_ = name;
      ++number_;
    }
    changed_.notify_one();
  }

 private:
  void watch(const std::stop_token& stop) {
    std::unique_lock lock(guard_);
    for (int minutes = 0; !stop.stop_requested();) {
      const std::size_t number = number_;
      const bool other_case =
          changed_.wait_for(lock, stop, std::chrono::minutes(1), [&] { return number_ != number; });
      minutes = other_case ? 0 : minutes + 1;
      if (!other_case && number_ > 0 && !stop.stop_requested()) {
        spdlog::warn("\"{}\" has been running for {} min", name_, minutes);
      }
    }
  }

  std::mutex guard_;
  std::condition_variable_any changed_;
  std::string name_;
  std::size_t number_ = 0;  // of the case that is running, from 1
  std::jthread watcher_{[this](const std::stop_token& stop) { watch(stop); }};
};

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

Json outcome_json(const conformance::Outcome& outcome) {
  return {{"name", outcome.name},     {"area", outcome.area},       {"passed", outcome.passed},
          {"checks", outcome.checks}, {"seconds", outcome.seconds}, {"failures", outcome.failures}};
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

Report report_of(const BackendInfo& info, const BackendTest& test,
                 const std::vector<conformance::Outcome>& outcomes, double seconds) {
  const auto [checks, failed] = totals_of(outcomes);
  const std::size_t passed = outcomes.size() - failed;
  Report report;
  report.json = {{"backend", test.backend}, {"description", info.description},
                 {"seed", test.seed},       {"cases", Json::array()},
                 {"checks", checks},        {"passed", passed},
                 {"failed", failed},        {"seconds", seconds}};
  for (const auto& outcome : outcomes) report.json["cases"].push_back(outcome_json(outcome));
  report.text = failures_text(outcomes) +
                fmt::format("\n{} cases passed and {} failed, with {} checks in {:.1f} s\n", passed,
                            failed, checks, seconds);
  report.exit_code = failed == 0 ? apps::ExitCode::success : apps::ExitCode::failure;
  return report;
}

// As text, each case is printed as soon as it is done: what ends the process hides none of them.
Report test_backend(Session& session, const BackendTest& test, bool as_json) {
  const std::vector<conformance::Case> cases = conformance::select(test.selection);
  BackendPtr backend = open_backend(test.backend);
  const BackendInfo info = backend->info();
  if (!as_json) {
    print(fmt::format("{}: {}\nseed {}\n\n", test.backend, apps::one_line(info.description),
                      test.seed));
  }
  SlowCaseWarnings warnings;
  const auto outcomes =
      conformance::run(std::move(backend), cases, test.seed,
                       {.before = [&](const conformance::Case& next) { warnings.begin(next.name); },
                        .after =
                            [&](const conformance::Outcome& outcome) {
                              session.progress().clear();
                              if (!as_json) print(outcome_text(outcome));
                            },
                        .monitor = session.monitor()});
  return report_of(info, test, outcomes, session.seconds());
}

}  // namespace

void add_backends_test_command(CommandLine& line, const apps::Command& backends) {
  const auto test = std::make_shared<BackendTest>();
  const apps::Command command = line.add_command(
      backends, "test",
      "Compare everything that a backend does with plain integer arithmetic (exit code 1: it "
      "failed)",
      "fhe backends test plugin:/path/of/my_backend.so", [test, &line](Session& session) {
        test->selection.with_many = !test->without_many;
        return test_backend(session, *test, line.common().json);
      });
  command
      .option("BACKEND", test->backend, "The backend, as option --backend of other commands has it")
      .value_name("")
      .required();
  command.flag("--long", test->selection.with_long,
               "Run the long cases too: minutes, and gigabytes of memory");
  command.flag("--without-many", test->without_many,
               "Leave out cases of many operations: they take a simulated device an hour");
  command
      .option("--only", test->selection.only, "Run the cases that have this in their name or area")
      .value_name("TEXT");
  command.option("--seed", test->seed, "Draw the random operands from this number")
      .value_name("N")
      .decimal()
      .shows_default();
}

}  // namespace fhe::cli
