// SPDX-License-Identifier: Apache-2.0
// The frame of the applications: exit codes, and numbers as bits.
#include <array>

#include "apps/support/application.hpp"
#include "libfhe/circuit/bits.hpp"
#include "libfhe/error.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

// How an application without options of its own ends when its body is this one.
int exit_code(const apps::Application::Body& body) {
  apps::Application application("example", "An example.");
  const std::array<const char*, 3> arguments{"example", "--params", "cnt-mini"};
  return application.run(static_cast<int>(arguments.size()), arguments.data(), body);
}

}  // namespace

TEST_CASE("apps: a wrong result ends with another exit code than a right one", "[apps]") {
  CHECK(exit_code([](const auto& setting) { return setting.parameters.name() == "cnt-mini"; }) ==
        0);
  CHECK(exit_code([](const auto&) { return false; }) == 1);
}

TEST_CASE("apps: failures end with the exit codes of the tool", "[apps]") {
  const auto failing = [](ErrorCode code) {
    return exit_code([code](const auto&) -> bool { throw Error(code, "as the test wants"); });
  };
  CHECK(failing(ErrorCode::invalid_argument) == 2);
  CHECK(failing(ErrorCode::wrong_key) == 3);
  CHECK(failing(ErrorCode::noise_exceeded) == 4);
}

TEST_CASE("apps: numbers go to bits and back", "[apps]") {
  CHECK(bits_of(6, 4) == std::vector<bool>{false, true, true, false});
  CHECK(bits_of(6, 2) == std::vector<bool>{false, true});
  CHECK(number_of({}) == 0);
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{37}, ~std::uint64_t{0}}) {
    CHECK(number_of(bits_of(number, 64)) == number);
  }
}

}  // namespace fhe::test
