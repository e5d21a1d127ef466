// SPDX-License-Identifier: Apache-2.0
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

// Every registered kind that can be opened without options on this machine, those named in the
// environment variable FHE_TEST_BACKENDS (such as "fpga:sim,plugin:/path/to.so"; they must open),
// and the minimal one. With FHE_TEST_ONLY_BACKENDS, a list of the same form, those in it and no
// other.
std::vector<BackendPtr> backends_under_test();

}  // namespace fhe::test
