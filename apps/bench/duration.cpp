// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/duration.hpp"

#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace fhe::bench {

// In the largest of the units that leaves at least 1, without zeros behind the point.
std::string duration(double seconds) {
  constexpr std::array<std::string_view, 4> kUnits{"ns", "us", "ms", "s"};
  constexpr double kStep = 1000;
  constexpr double kRoundsUp = 999.5;
  double value = 1e9 * seconds;
  std::size_t unit = 0;
  for (; value >= kRoundsUp && unit + 1 < kUnits.size(); ++unit) value /= kStep;
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string number = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    number.resize(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
  }
  return fmt::format("{} {}", number, kUnits.at(unit));
}

}  // namespace fhe::bench
