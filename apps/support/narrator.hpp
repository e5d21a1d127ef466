// SPDX-License-Identifier: Apache-2.0
// Tells on standard output who does what, and what it costs.
#pragma once

#include <chrono>
#include <string_view>

#include "apps/support/application.hpp"
#include "apps/support/slot_numbers.hpp"
#include "libfhe/gate/evaluator.hpp"

namespace fhe::apps {

class Narrator {
 public:
  // Prints the heading.
  Narrator(std::string_view title, const Setting& setting);

  // Prints that `party` does `what`, does `work`, prints how long it took and returns its result.
  template <class Work>
  auto step(std::string_view party, std::string_view what, const Work& work) {
    announce(party, what);
    const auto start = Clock::now();
    auto result = work();
    print_duration(Clock::now() - start);
    return result;
  }

  // Prints the server's gates; or its products, and what it got and answered.
  void cost(const GateCounts& counts) const;
  void cost(const SlotCosts& costs) const;

  // Prints the result and whether it is the expected one; returns that.
  [[nodiscard]] bool conclude(std::string_view result, bool right) const;

 private:
  using Clock = std::chrono::steady_clock;

  void announce(std::string_view party, std::string_view what);
  static void print_duration(Clock::duration duration);

  int steps_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace fhe::apps
