// SPDX-License-Identifier: Apache-2.0
#include "apps/study/format.hpp"

#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace fhe::bench {

namespace {

// Three digits, none of them behind the point from 100 on.
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

// The same number without zeros at the end.
std::string trimmed(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  while (number.back() == '0') number.pop_back();
  if (number.back() == '.') number.pop_back();
  return number;
}

}  // namespace

// In the largest of the units that leaves at least 1.
std::string duration(double seconds) {
  constexpr std::array<std::string_view, 4> kUnits{"ns", "us", "ms", "s"};
  constexpr double kStep = 1000;
  constexpr double kRoundsUp = 999.5;
  double value = 1e9 * seconds;
  std::size_t unit = 0;
  for (; value >= kRoundsUp && unit + 1 < kUnits.size(); ++unit) value /= kStep;
  return fmt::format("{} {}", trimmed(three_digits(value)), kUnits.at(unit));
}

std::string times(double ratio) {
  return three_digits(ratio) + "x";
}

std::string grouped(std::uint64_t number) {
  constexpr std::size_t kDigits = 3;
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > kDigits;) text.insert(at -= kDigits, 1, ',');
  return text;
}

}  // namespace fhe::bench
