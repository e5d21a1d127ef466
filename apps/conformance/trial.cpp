// SPDX-License-Identifier: Apache-2.0
#include "apps/conformance/trial.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

namespace fhe::conformance {

namespace {

constexpr std::size_t kMostDescribed = 8;
constexpr std::size_t kMostPrintedBits = 64;

// How two lists that are not equal differ.
template <class Entry>
std::string list_difference(const std::vector<Entry>& actual, const std::vector<Entry>& expected) {
  if (actual.size() != expected.size()) {
    return fmt::format("{} entries in place of {}", actual.size(), expected.size());
  }
  const auto [wrong, right] = std::ranges::mismatch(actual, expected);
  return fmt::format("entry {} of {} is {}", wrong - actual.begin(), actual.size(),
                     difference(Integer(*wrong), Integer(*right)));
}

}  // namespace

std::string difference(const Integer& actual, const Integer& expected) {
  if (std::max(bit_length(actual), bit_length(expected)) <= kMostPrintedBits) {
    return fmt::format("{} in place of {}", actual.get_str(), expected.get_str());
  }
  const Integer differing = actual ^ expected;
  const auto described = [](const Integer& x) {
    return fmt::format("{}a number of {} bits", x < 0 ? "minus " : "", bit_length(x));
  };
  return fmt::format("{} in place of {}, and bit {} is the lowest that differs", described(actual),
                     described(expected), mpz_scan1(differing.get_mpz_t(), 0));
}

std::string description_of_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return fmt::format("Error({}): {}", to_string(error.code()), error.what());
  } catch (const std::exception& error) {
    return fmt::format("an exception that is no fhe::Error: {}", error.what());
  } catch (...) {
    return "an exception of an unknown type";
  }
}

void Trial::count() {
  monitor_.throw_if_stopped();
  ++checks_;
}

void Trial::fail(std::string failure) {
  ++failed_;
  if (failures_.size() < kMostDescribed) failures_.push_back(std::move(failure));
}

void Trial::equal(const Integer& actual, const Integer& expected, std::string_view what) {
  count();
  if (actual != expected) fail(fmt::format("{} is {}", what, difference(actual, expected)));
}

void Trial::equal(const std::vector<Integer>& actual, const std::vector<Integer>& expected,
                  std::string_view what) {
  count();
  if (actual != expected) fail(fmt::format("{}: {}", what, list_difference(actual, expected)));
}

void Trial::equal(const std::vector<std::uint32_t>& actual,
                  const std::vector<std::uint32_t>& expected, std::string_view what) {
  count();
  if (actual != expected) fail(fmt::format("{}: {}", what, list_difference(actual, expected)));
}

void Trial::holds(bool is_true, std::string_view what) {
  count();
  if (!is_true) fail(fmt::format("it is not true that {}", what));
}

void Trial::refuses(ErrorCode code, const std::function<void()>& call, std::string_view what) {
  count();
  try {
    call();
  } catch (const Error& error) {
    if (error.code() == code) return;
    monitor_.throw_if_stopped();
    return fail(fmt::format("{} should throw Error({}), and throws {}", what, to_string(code),
                            description_of_current_exception()));
  } catch (...) {
    return fail(fmt::format("{} should throw Error({}), and throws {}", what, to_string(code),
                            description_of_current_exception()));
  }
  fail(fmt::format("{} should throw Error({}), and throws nothing", what, to_string(code)));
}

std::vector<std::string> Trial::failures() const {
  std::vector<std::string> all = failures_;
  if (failed_ > all.size()) all.push_back(fmt::format("and {} more", failed_ - all.size()));
  return all;
}

}  // namespace fhe::conformance
