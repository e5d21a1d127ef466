// SPDX-License-Identifier: Apache-2.0
// How tests say which failure of a command they expect.
#pragma once

#include <string>

#include "accel/fpga/contract/errors.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

template <>
struct Catch::StringMaker<fhe::fpga::CommandFailed> {
  static std::string convert(const fhe::fpga::CommandFailed& failure) { return failure.what(); }
};

namespace fhe::fpga::test {

// Matches a CommandFailed with this status.
class HasStatus final : public Catch::Matchers::MatcherBase<CommandFailed> {
 public:
  explicit HasStatus(Status status) : status_(status) {}

  [[nodiscard]] bool match(const CommandFailed& failure) const override {
    return failure.completion().status == status_;
  }
  [[nodiscard]] std::string describe() const override {
    return "has status " + std::string(name(status_));
  }

 private:
  Status status_;
};

}  // namespace fhe::fpga::test
