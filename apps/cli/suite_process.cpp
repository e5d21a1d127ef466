// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/suite_process.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "apps/support/child_process.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/error.hpp"

namespace fhe::cli {

namespace {

using Clock = std::chrono::steady_clock;
using conformance::Case;
using conformance::Outcome;

constexpr std::chrono::milliseconds kLook{100};

// What one process tells the other: lines of JSON with one of these members.
constexpr const char* kOpened = "opened";    // the description of the backend
constexpr const char* kRefused = "refused";  // the message of the error of opening it, and its code
constexpr const char* kCode = "code";
constexpr const char* kBegins = "begins";  // the name of a case
constexpr const char* kOutcome = "outcome";

Outcome outcome_of(const Json& json) {
  return {.name = json.at("name"),
          .area = json.at("area"),
          .passed = json.at("passed"),
          .checks = json.at("checks"),
          .failures = json.at("failures"),
          .seconds = json.at("seconds")};
}

// Bytes that are not UTF-8, in what a backend says, are replaced.
void say(const Json& json) {
  print(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

// The arguments by which this program becomes the other side.
std::vector<std::string> arguments_for(const BackendTest& test, std::size_t first) {
  std::vector<std::string> arguments{apps::this_program(),
                                     "backends",
                                     kSuiteCommand,
                                     test.backend,
                                     std::to_string(first),
                                     "--seed",
                                     std::to_string(test.seed)};
  const conformance::Selection& cases = test.selection;
  if (!cases.only.empty()) arguments.push_back("--only=" + cases.only);
  if (cases.with_long) arguments.emplace_back("--long");
  if (!cases.with_many) arguments.emplace_back("--without-many");
  return arguments;
}

// A process that runs the cases from the first one of these on.
class SuiteProcess {
 public:
  SuiteProcess(const BackendTest& test, const SuiteWatch& watch, std::span<const Case> cases,
               std::vector<Outcome>& outcomes)
      : test_(test),
        watch_(watch),
        cases_(cases),
        outcomes_(outcomes),
        process_(arguments_for(test, outcomes.size()), apps::Variables::all) {}

  // Until the process ends, or is ended for the time that it takes. Adds an outcome for each case
  // that it has begun.
  void run() {
    while (const std::optional<std::string> text = process_.read(kLook)) {
      watch_.monitor.throw_if_stopped();
      hear(*text);
      if (Clock::now() - last_news_ > test_.most_time) {
        return blame(fmt::format("did not end within {} s", test_.most_time.count()));
      }
      warn();
    }
    const int status = process_.wait();
    if (outcomes_.size() < cases_.size()) {
      blame(fmt::format("ended the process by {}", apps::description_of_end(status)));
    }
  }

 private:
  void hear(const std::string& text) {
    text_ += text;
    for (std::size_t end = 0; (end = text_.find('\n')) != std::string::npos;) {
      take(Json::parse(text_.substr(0, end)));
      text_.erase(0, end + 1);
    }
  }

  void take(const Json& news) {
    last_news_ = Clock::now();
    minutes_ = 0;
    if (news.contains(kRefused)) {
      throw Error(static_cast<ErrorCode>(news.at(kCode).get<int>()), news.at(kRefused));
    }
    if (news.contains(kOpened)) {
      is_open_ = true;
      watch_.opened(news.at(kOpened));
    } else if (news.contains(kBegins)) {
      if (watch_.monitor.progress) {
        watch_.monitor.progress(
            "cases", static_cast<double>(outcomes_.size()) / static_cast<double>(cases_.size()));
      }
    } else {
      add(outcome_of(news.at(kOutcome)));
    }
  }

  void add(Outcome outcome) {
    outcomes_.push_back(std::move(outcome));
    watch_.after(outcomes_.back());
  }

  // For what the process was at: opening the backend, or a case.
  void blame(const std::string& what) {
    if (!is_open_) {
      throw Error(ErrorCode::wrong_result,
                  fmt::format("opening the backend {} {}", test_.backend, what));
    }
    const Case& current = cases_[outcomes_.size()];
    const std::chrono::duration<double> time = Clock::now() - last_news_;
    add({.name = std::string(current.name),
         .area = std::string(current.area),
         .failures = {fmt::format("the case {}", what)},
         .seconds = time.count()});
  }

  // On standard error, after each minute of a case: a backend that hangs does not say so itself.
  void warn() {
    const auto now = std::chrono::duration_cast<std::chrono::minutes>(Clock::now() - last_news_);
    if (now.count() <= minutes_) return;
    minutes_ = now.count();
    const std::string_view what = is_open_ ? cases_[outcomes_.size()].name : "opening the backend";
    spdlog::warn("\"{}\" has been running for {} min", what, minutes_);
  }

  const BackendTest& test_;
  const SuiteWatch& watch_;
  std::span<const Case> cases_;
  std::vector<Outcome>& outcomes_;
  apps::ChildProcess process_;
  std::string text_;  // of a line that is not whole
  bool is_open_ = false;
  Clock::time_point last_news_ = Clock::now();
  std::chrono::minutes::rep minutes_ = 0;
};

}  // namespace

Json json_of(const Outcome& outcome) {
  return {{"name", outcome.name},     {"area", outcome.area},       {"passed", outcome.passed},
          {"checks", outcome.checks}, {"seconds", outcome.seconds}, {"failures", outcome.failures}};
}

std::vector<Outcome> run_suite_apart(const BackendTest& test, const SuiteWatch& watch) {
  const std::vector<Case> cases = conformance::select(test.selection);
  SuiteWatch first_time = watch;
  std::vector<Outcome> outcomes;
  while (outcomes.size() < cases.size()) {
    SuiteProcess(test, first_time, cases, outcomes).run();
    first_time.opened = [](const std::string& /*description*/) {};
  }
  return outcomes;
}

void run_suite_here(const BackendTest& test, std::size_t first, const Monitor& monitor) {
  apps::end_with_parent();
  std::vector<Case> cases = conformance::select(test.selection);
  cases.erase(cases.begin(),
              cases.begin() + static_cast<std::ptrdiff_t>(std::min(first, cases.size())));
  BackendPtr backend;
  try {
    backend = open_backend(test.backend);
    say({{kOpened, backend->info().description}});
  } catch (const Error& error) {
    say({{kRefused, error.what()}, {kCode, static_cast<int>(error.code())}});
    return;
  }
  conformance::run(std::move(backend), cases, test.seed,
                   {.before =
                        [](const Case& next) {
                          say({{kBegins, next.name}});
                        },
                    .after =
                        [](const Outcome& outcome) {
                          say({{kOutcome, json_of(outcome)}});
                        },
                    .monitor = {.stop = monitor.stop, .progress = {}}});
}

}  // namespace fhe::cli
