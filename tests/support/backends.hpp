// The backends that the conformance suite runs over.
#pragma once

#include <string>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe::test {

// The least that a backend must be: `info` and `multiply`. It shows that everything else works on
// the defaults.
class MinimalBackend final : public Backend {
 public:
  [[nodiscard]] BackendInfo info() const override {
    return {.name = "minimal",
            .description = "only multiply, by GMP",
            .max_operand_bits = std::size_t{1} << 34,
            .native = {"multiply"}};
  }
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    return x * y;
  }
};

inline BackendFactory minimal_backend_factory(std::string name) {
  return {.name = std::move(name),
          .summary = "only multiply, by GMP",
          .open = [](std::string_view) { return std::make_shared<const MinimalBackend>(); }};
}

// Names of backends with options that the registry does not list by itself, such as
// "fpga:sim,plugin:/path/to.so", from the environment variable FHE_TEST_BACKENDS.
std::vector<std::string> named_in_environment();

// Every registered kind that can be opened without options on this machine, those named in the
// environment (which must open), and the minimal one.
std::vector<BackendPtr> backends_under_test();

}  // namespace fhe::test
