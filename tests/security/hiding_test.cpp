// SPDX-License-Identifier: Apache-2.0
// Sums with random weights: what attacks on them cost, how many terms they need, and the table of
// the guide.
#include "libfhe/security/hiding.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/scheme/she/randomizer.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

using security::cheapest_sum_attack;
using security::least_count;
using security::proven_count;

constexpr double kNever = 1e9;  // the core cost of what no attack does

double core(double count, double weight_bits, double element_bits) {
  const auto attack = cheapest_sum_attack(
      {.count = count, .weight_bits = weight_bits, .element_bits = element_bits});
  return attack ? attack->core : kNever;
}

std::string size_of(double count, const she::Parameters& p) {
  const double megabytes = count * static_cast<double>(bytes_for_bits(p.correction_bits())) / 1e6;
  return megabytes < 1000 ? fmt::format("{:.2f} MB", megabytes)
                          : fmt::format("{:.1f} GB", megabytes / 1000);
}

// What the guide says of a group: its sizes, the zeros, and whether its answers can be hidden.
std::string row_of(const ParameterSet& group) {
  const she::Parameters p(group);
  const auto real = [](std::size_t number) { return static_cast<double>(number); };
  const double estimated = least_count(8, real(p.gamma), real(p.lambda)) + 1;
  const double proven = proven_count(8, real(p.gamma), real(p.lambda)) + 1;
  std::string verdict = "hidden from outsiders";
  try {
    static_cast<void>(she::zeros_needed(group, she::Hiding::estimated));
  } catch (const Error& error) {
    const bool is_long = std::string(error.what()).find("MB to send") != std::string::npos;
    verdict = is_long ? "not hidden: too much to send" : "not hidden: no room for the noise";
  }
  return fmt::format("| `{}` | {} | {:.0f}, {} | {:.0f}, {} | {} |", group.name(), p.slots,
                     estimated, size_of(estimated, p), proven, size_of(proven, p), verdict);
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  REQUIRE(in);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("attacks on random sums cost more with more terms and more weight", "[hiding]") {
  for (const double gamma : {400.0, 5000.0, 33900.0, 172928.0}) {
    for (const double bits : {1.0, 8.0, 16.0}) {
      double last = 0;
      for (double count = 8; count < 2 * gamma / bits; count = std::ceil(count * 1.1)) {
        CAPTURE(gamma, bits, count);
        const double cost = core(count, bits, gamma);
        CHECK(cost >= last);
        CHECK(core(count, bits + 1, gamma) >= cost);
        CHECK(core(count, bits, gamma + 64) <= cost);
        last = cost;
      }
      CHECK(last == kNever);
    }
  }
}

// N (w + N lg delta) = gamma, in rough agreement with the inequalities.
TEST_CASE("random sums take as many terms as root Hermite factors say", "[hiding]") {
  const double log_delta = 0.00538;  // of block size 438
  for (const double gamma : {20000.0, 33900.0, 172928.0, 1908160.0}) {
    for (const double bits : {1.0, 8.0, 16.0}) {
      CAPTURE(gamma, bits);
      const double count = least_count(bits, gamma, 128);
      const double rough =
          (std::sqrt(bits * bits + 4 * log_delta * gamma) - bits) / (2 * log_delta);
      CHECK(count > 0.98 * rough);
      CHECK(count < 1.25 * rough);
      CHECK(core(count, bits, gamma) >= 128);
      CHECK(core(count - 1, bits, gamma) < 128);
      CHECK(core(count - 1, bits, gamma) > 127);
    }
  }
  CHECK(least_count(8, 33900, 128) == 2023);
  CHECK(proven_count(8, 33900, 128) == 4270);
}

TEST_CASE("random sums that are proven to hide are out of the reach of attacks", "[hiding]") {
  for (const double gamma : {64.0, 400.0, 33900.0}) {
    for (const double bits : {1.0, 8.0, 32.0}) {
      CAPTURE(gamma, bits);
      const double count = proven_count(bits, gamma, 40);
      CHECK(core(count, bits, gamma) == kNever);
      CHECK(count * bits >= gamma + 81);
      CHECK(least_count(bits, gamma, 40) <= std::max(count, 80.0));
      CHECK(least_count(bits, gamma, 40) * bits >= 80);
    }
  }
}

TEST_CASE("the guide says what the functions say of every group", "[hiding]") {
  const auto lines = lines_of(FHE_TEST_DATA_DIR "/../../apps/documents/guides/hiding.md");
  for (const std::string& name : ParameterSet::names()) {
    const ParameterSet group = ParameterSet::named(name);
    if (group.purpose() != GroupPurpose::slots || group.number("lambda", 1, 512) < 128) continue;
    const std::string row = row_of(group);
    INFO("the table of apps/documents/guides/hiding.md lacks this line: " << row);
    CHECK(std::ranges::find(lines, row) != lines.end());
  }
}

}  // namespace fhe::test
