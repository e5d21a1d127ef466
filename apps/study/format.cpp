// SPDX-License-Identifier: Apache-2.0
#include "apps/study/format.hpp"

#include <array>
#include <cmath>
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

// `value` in the largest of the units, which are a factor of 1000 apart, that leaves at least 1.
template <std::size_t kUnits>
std::string scaled(double value, const std::array<std::string_view, kUnits>& units) {
  constexpr double kStep = 1000;
  constexpr double kRoundsUp = 999.5;
  std::size_t unit = 0;
  for (; value >= kRoundsUp && unit + 1 < kUnits; ++unit) value /= kStep;
  return fmt::format("{} {}", trimmed(three_digits(value)), units[unit]);
}

}  // namespace

std::string duration(double seconds) {
  constexpr double kNanoseconds = 1e9;
  return scaled(seconds * kNanoseconds, std::array<std::string_view, 4>{"ns", "us", "ms", "s"});
}

std::string data_size(double bytes) {
  return scaled(bytes, std::array<std::string_view, 4>{"B", "kB", "MB", "GB"});
}

std::string bit_count(double bits) {
  return scaled(bits, std::array<std::string_view, 4>{"bit", "kbit", "Mbit", "Gbit"});
}

std::string frequency(double hertz) {
  return scaled(hertz, std::array<std::string_view, 4>{"Hz", "kHz", "MHz", "GHz"});
}

std::string times(double ratio) {
  return three_digits(ratio) + "x";
}

std::string whole_times(double ratio) {
  return fmt::format("{:g}x", ratio);
}

std::string date_and_time(std::string_view iso_date) {
  constexpr std::string_view kForm = "2026-11-20T15:52:12Z";
  constexpr std::size_t kDate = 10;
  constexpr std::size_t kTime = 5;
  if (iso_date.size() != kForm.size() || iso_date[kDate] != 'T' || iso_date.back() != 'Z') {
    return std::string(iso_date);
  }
  return fmt::format("{} {}", iso_date.substr(0, kDate), iso_date.substr(kDate + 1, kTime));
}

std::string grouped(std::uint64_t number) {
  constexpr std::size_t kDigits = 3;
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > kDigits;) text.insert(at -= kDigits, 1, ',');
  return text;
}

}  // namespace fhe::bench
