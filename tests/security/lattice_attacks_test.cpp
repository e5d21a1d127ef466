// SPDX-License-Identifier: Apache-2.0
// Lattice attacks in estimates: always there, and never cheaper against a stronger group.
#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

#include "libfhe/security/estimate.hpp"
#include "tests/catch.hpp"

namespace fhe::security {

namespace {

constexpr double kRounding = 1e-9;

ApproximateGcd sizes(double rho, double gap, double gamma, double slots) {
  return {.rho = rho, .eta = rho + gap, .gamma = gamma, .slots = slots, .modulus_public = false};
}

double core_of(const ApproximateGcd& samples) {
  return estimate({.samples = samples}).core();
}

}  // namespace

TEST_CASE("no lattice attack is ever missing", "[security]") {
  std::mt19937_64 random(23);
  const auto between = [&](double low, double high) {
    return std::round(std::uniform_real_distribution(low, high)(random));
  };
  for (int trial = 0; trial < 200; ++trial) {
    const double slots = trial % 2 == 0 ? 1 : between(2, 64);
    ApproximateGcd samples = sizes(between(4, 150), between(1, trial % 4 < 2 ? 16 : 400), 0, slots);
    samples.gamma = slots * samples.eta + std::round(std::exp2(between(6, 20)));
    CAPTURE(samples.rho, samples.eta, samples.gamma, samples.slots);
    const Estimate found = estimate({.samples = samples});
    for (const std::string_view name : {"unique shortest vector", "orthogonal lattice"}) {
      CAPTURE(name);
      CHECK(std::ranges::count(found.attacks, name, &Attack::name) == 1);
    }
  }
}

TEST_CASE("the core cost never falls as samples or noise grow, nor rises with the primes",
          "[security]") {
  for (const double slots : {1.0, 4.0, 64.0}) {
    for (const double rho : {8.0, 40.0, 121.0}) {
      for (const double gap : {4.0, 8.0, 14.0, 29.0, 61.0, 136.0}) {
        for (const double factor : {1.0, 4.0, 20.0, 46.5, 60.0}) {
          const double eta = rho + gap;
          const double gamma = slots * (eta + 64) + factor * gap * gap;
          const double core = core_of(sizes(rho, gap, gamma, slots));
          CAPTURE(slots, rho, eta, gamma, core);
          CHECK(core_of(sizes(rho, gap, 1.01 * gamma, slots)) >= core - kRounding);
          CHECK(core_of(sizes(rho + 1, gap - 1, gamma, slots)) >= core - kRounding);
          CHECK(core_of(sizes(rho, gap + 1, gamma, slots)) <= core + kRounding);
        }
      }
    }
  }
}

}  // namespace fhe::security
