// SPDX-License-Identifier: Apache-2.0
// What a case of the suite works with: the backend, operands, and the checks that it makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/conformance/operands.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/error.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::conformance {

// The run of one case on one backend. Checks are counted; those that fail are described and do not
// end the case. Each of them throws Error(stopped) when the run is to stop.
class Trial {
 public:
  Trial(BackendPtr backend, std::uint64_t seed, Monitor monitor)
      : backend_(std::move(backend)), operands_(seed), monitor_(std::move(monitor)) {}

  [[nodiscard]] const Backend& backend() const { return *backend_; }
  [[nodiscard]] Operands& operands() { return operands_; }
  // For calls on the backend: a stop of the run stops them.
  [[nodiscard]] const Monitor& monitor() const { return monitor_; }

  // Gives up the backend; backend() must not be called after it.
  [[nodiscard]] BackendPtr release() { return std::move(backend_); }

  // `what` is the subject of a sentence: "the product of 1 by 64 bits".
  void equal(const Integer& actual, const Integer& expected, std::string_view what);
  void equal(const std::vector<Integer>& actual, const std::vector<Integer>& expected,
             std::string_view what);
  void equal(const std::vector<std::uint32_t>& actual, const std::vector<std::uint32_t>& expected,
             std::string_view what);

  // `what` is a whole statement: "the backend has a name".
  void holds(bool is_true, std::string_view what);

  // `call` throws an Error with this code. `what` says what it does: "multiplying by ...".
  void refuses(ErrorCode code, const std::function<void()>& call, std::string_view what);

  // As a failed check, without one.
  void fail(std::string failure);

  [[nodiscard]] std::size_t checks() const { return checks_; }
  [[nodiscard]] bool passed() const { return failed_ == 0; }
  // The first few failures, and a line about the others.
  [[nodiscard]] std::vector<std::string> failures() const;

 private:
  void count();

  BackendPtr backend_;
  Operands operands_;
  Monitor monitor_;
  std::size_t checks_ = 0;
  std::size_t failed_ = 0;
  std::vector<std::string> failures_;
};

// How two integers differ. Short ones are printed; of long ones the lengths and the lowest bit that
// differs.
std::string difference(const Integer& actual, const Integer& expected);

// What an exception that was caught says of itself.
std::string description_of_current_exception();

}  // namespace fhe::conformance
