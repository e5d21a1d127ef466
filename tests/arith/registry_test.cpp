// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/registry.hpp"

#include <algorithm>

#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

std::vector<std::string> registered_names() {
  std::vector<std::string> names;
  for (const BackendFactory& factory : registered_backends()) names.push_back(factory.name);
  return names;
}

}  // namespace

TEST_CASE("the default backend is registered, opens and says what it is", "[registry]") {
  const auto names = registered_names();
  CHECK(std::ranges::count(names, default_backend_name()) == 1);
  const BackendInfo info = open_backend()->info();
  CHECK(info.name == default_backend_name());
  CHECK_FALSE(info.description.empty());
  CHECK(info.max_operand_bits > 0);
  CHECK(std::ranges::count(info.native, "multiply") == 1);
}

TEST_CASE("every registered kind of backend has a name and a summary of its own", "[registry]") {
  auto names = registered_names();
  REQUIRE_FALSE(names.empty());
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
  for (const BackendFactory& factory : registered_backends()) {
    CAPTURE(factory.name);
    CHECK_FALSE(factory.name.empty());
    CHECK(factory.name.find(':') == std::string::npos);
    CHECK_FALSE(factory.summary.empty());
    CHECK(factory.summary.find('\n') == std::string::npos);
  }
}

TEST_CASE("an unknown backend name is an error that lists what there is", "[registry]") {
  CHECK_THROWS_MATCHES(open_backend("no-such-backend"), Error,
                       HasCode(ErrorCode::unknown_name, "no-such-backend"));
  for (const std::string& name : registered_names()) {
    CHECK_THROWS_MATCHES(open_backend("no-such-backend:x"), Error,
                         HasCode(ErrorCode::unknown_name, name));
  }
  CHECK_THROWS_MATCHES(open_backend(""), Error, HasCode(ErrorCode::unknown_name));
  CHECK_THROWS_MATCHES(open_backend("NTL"), Error, HasCode(ErrorCode::unknown_name));
}

TEST_CASE("options that a backend does not know are refused", "[registry]") {
  CHECK_NOTHROW(open_backend("ntl:"));
  CHECK_THROWS_MATCHES(open_backend("ntl:threads=2"), Error,
                       HasCode(ErrorCode::invalid_argument, "threads=2"));
}

TEST_CASE("a backend can be added and replaced", "[registry]") {
  const std::vector<std::string> before = registered_names();
  register_backend(minimal_backend_factory("registry-test"));
  std::vector<std::string> expected = before;
  expected.emplace_back("registry-test");
  CHECK(registered_names() == expected);
  CHECK(open_backend("registry-test")->multiply(6, 7) == 42);

  std::string seen;
  BackendFactory replacement = minimal_backend_factory("registry-test");
  replacement.summary = "the second one";
  replacement.open = [&seen](std::string_view options) -> BackendPtr {
    seen = options;
    throw Error(ErrorCode::unsupported, "this machine has none");
  };
  register_backend(replacement);
  CHECK(registered_names() == expected);
  CHECK(registered_backends().back().summary == "the second one");
  CHECK_THROWS_MATCHES(open_backend("registry-test:a=1,b:2"), Error,
                       HasCode(ErrorCode::unsupported, "has none"));
  CHECK(seen == "a=1,b:2");

  register_backend(minimal_backend_factory("registry-test"));
}

}  // namespace fhe::test
