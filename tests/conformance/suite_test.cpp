// SPDX-License-Identifier: Apache-2.0
// The conformance suite as a library: a good backend passes, and a run can be chosen, watched and
// stopped. With what concerns all registered backends together.
#include "apps/conformance/suite.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "apps/conformance/trial.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

// How many checks there were; every failure is one of the test.
std::size_t checks_passed(const std::vector<conformance::Outcome>& outcomes) {
  std::size_t checks = 0;
  for (const conformance::Outcome& outcome : outcomes) {
    CAPTURE(outcome.name, outcome.failures);
    CHECK(outcome.passed);
    CHECK(outcome.failures.empty());
    checks += outcome.checks;
  }
  return checks;
}

std::size_t checks_of_minimal_backend(const conformance::Selection& selection) {
  return checks_passed(conformance::run(std::make_shared<const MinimalBackend>(),
                                        conformance::select(selection), conformance::kUsualSeed,
                                        {}));
}

}  // namespace

TEST_CASE("a backend with nothing but multiply passes") {
  CHECK(checks_of_minimal_backend({}) > 12'000);
}

TEST_CASE("a backend with nothing but multiply passes the long cases", "[long]") {
  CHECK(checks_of_minimal_backend({.with_long = true, .only = "backend"}) > 1000);
}

TEST_CASE("good backends pass with operands of several seeds") {
  for (const std::uint64_t seed : {0ULL, 2ULL, ~0ULL}) {
    CAPTURE(seed);
    const auto cases = conformance::select({.with_many = false, .only = ""});
    CHECK(checks_passed(conformance::run(open_backend(), cases, seed, {})) > 2000);
  }
}

TEST_CASE("cases have names of their own and are chosen by what they are") {
  std::set<std::string_view> names;
  for (const conformance::Case& one : conformance::all_cases()) {
    CAPTURE(one.name);
    CHECK(names.insert(one.name).second);
    CHECK_FALSE(one.area.empty());
  }
  const auto all = conformance::select({.with_long = true, .only = ""});
  CHECK(all.size() == conformance::all_cases().size());
  for (const conformance::Case& one : conformance::select({.with_many = false, .only = "ring"})) {
    CAPTURE(one.name);
    CHECK_FALSE(one.is_long);
    CHECK_FALSE(one.is_many);
    CHECK((one.area == "ring" || one.name.find("ring") != std::string_view::npos));
  }
  CHECK(conformance::select({.with_long = true, .only = "40 Mbit"}).size() == 1);
  CHECK_THROWS_MATCHES(conformance::select({.only = "40 Mbit"}), Error,
                       HasCode(ErrorCode::unknown_name, "40 Mbit"));
}

TEST_CASE("a run tells what it is about to do and what became of it") {
  const auto cases = conformance::select({.only = "residues"});
  std::vector<std::string> told;
  conformance::Watch watch;
  watch.before = [&](const conformance::Case& next) { told.emplace_back(next.name); };
  watch.after = [&](const conformance::Outcome& outcome) { told.push_back(outcome.name); };
  const auto outcomes =
      conformance::run(open_backend("ntl"), cases, conformance::kUsualSeed, watch);
  REQUIRE(outcomes.size() == 3);
  std::vector<std::string> expected;
  for (const conformance::Outcome& outcome : outcomes) {
    expected.insert(expected.end(), {outcome.name, outcome.name});
  }
  CHECK(told == expected);
}

TEST_CASE("a stop request ends a run, between cases and in one") {
  const auto cases = conformance::select({.only = ""});
  std::stop_source source;
  conformance::Watch watch;
  watch.monitor.stop = source.get_token();
  std::size_t begun = 0;
  watch.before = [&](const conformance::Case& next) {
    ++begun;
    if (next.area == "residues") source.request_stop();
  };
  const auto run = [&] {
    return conformance::run(open_backend("ntl"), cases, conformance::kUsualSeed, watch);
  };
  CHECK_THROWS_MATCHES(run(), Error, HasCode(ErrorCode::stopped));
  CHECK(begun > 10);
  CHECK(begun < cases.size());
  CHECK_THROWS_MATCHES(run(), Error, HasCode(ErrorCode::stopped));
}

TEST_CASE("failures are short, whatever the numbers") {
  conformance::Trial trial(open_backend("ntl"), 1, {});
  const Integer large = power_of_two(1'000'000);
  for (int i = 0; i < 20; ++i) trial.equal(large + 8, large, "a sum");
  trial.equal(Integer(-3), 5, "a small sum");
  CHECK(trial.checks() == 21);
  CHECK_FALSE(trial.passed());
  const std::vector<std::string> failures = trial.failures();
  REQUIRE(failures.size() == 9);
  CHECK(failures.front() ==
        "a sum is a number of 1000001 bits in place of a number of 1000001 bits, and bit 3 is the "
        "lowest that differs");
  CHECK(failures.back() == "and 13 more");
  CHECK(conformance::difference(Integer(-3), 5) == "-3 in place of 5");
}

TEST_CASE("a registered backend opens or says why this machine has none") {
  for (const BackendFactory& factory : registered_backends()) {
    CAPTURE(factory.name);
    try {
      const BackendPtr backend = open_backend(factory.name);
      CHECK(backend != nullptr);
    } catch (const Error& error) {
      CHECK(factory.name != default_backend_name());
      CHECK_FALSE(std::string(error.what()).empty());
    }
  }
}

// The suite tests pairs with auto and ntl alone.
TEST_CASE("an operand prepared on one backend is a plain value to every other") {
  const Integer small = power_of_two(300) - 153;
  const Integer large = power_of_two(9000) - 1;
  const Integer a = small - 3;
  const Integer b = small / 7;
  const Integer expected = a * b % large;
  for (const BackendPtr& backend : backends_under_test()) {
    const Operand prepared = backend->ring(small)->prepare(a);
    for (const BackendPtr& other : backends_under_test()) {
      CAPTURE(backend->info().description, other->info().description);
      CHECK(other->ring(large)->multiply(prepared, b) == expected);
    }
  }
}

}  // namespace fhe::test
