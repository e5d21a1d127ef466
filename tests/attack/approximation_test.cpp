// SPDX-License-Identifier: Apache-2.0
// Simultaneous approximation: what it opens with LLL and with BKZ, close to where it ends.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stop_token>
#include <vector>

#include "apps/attack/attacks.hpp"
#include "libfhe/security/estimate.hpp"
#include "tests/attack/opened_instances.hpp"
#include "tests/attack/planted.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::attack {

namespace {

void check_opens(const std::vector<OpenedInstance>& instances) {
  for (const OpenedInstance& instance : instances) {
    CAPTURE(instance.sizes.eta - instance.sizes.rho, instance.sizes.gamma, instance.sizes.slots,
            instance.block);
    const Planted key = planted(instance.sizes, instance.samples + 10, instance.seed);
    const Finding finding =
        simultaneous_approximation(key.samples, instance.samples, instance.block);
    CHECK(finding.dimension == instance.samples);
    CHECK_FALSE(finding.primes.empty());
    for (const Integer& p : finding.primes) CHECK(std::ranges::count(key.primes, p) == 1);
  }
}

}  // namespace

TEST_CASE("simultaneous approximation opens what has been opened", "[attack]") {
  check_opens(opened_instances());
}

TEST_CASE("simultaneous approximation opens what was opened in a minute", "[attack][long]") {
  check_opens(long_opened_instances());
}

TEST_CASE("simultaneous approximation finds nothing where the vectors are long", "[attack]") {
  const Planted key = planted({.rho = 40, .eta = 48, .gamma = 2000, .modulus_public = false}, 60);
  CHECK(simultaneous_approximation(key.samples, 60).primes.empty());
  CHECK(simultaneous_approximation(key.samples, 60, 10).primes.empty());
}

TEST_CASE("simultaneous approximation takes as many samples as there are", "[attack]") {
  const Planted key = planted({.rho = 16, .eta = 80, .gamma = 600, .modulus_public = false}, 12);
  CHECK_THROWS_MATCHES(simultaneous_approximation(key.samples, 13), Error,
                       test::HasCode(ErrorCode::invalid_argument, "3 to 12 samples"));
  std::stop_source source;
  source.request_stop();
  const Monitor stopped{.stop = source.get_token(), .progress = {}};
  CHECK_THROWS_MATCHES(simultaneous_approximation(key.samples, 12, 2, stopped), Error,
                       test::HasCode(ErrorCode::stopped, ""));
}

// Of the lattice attacks alone, because a search for short noise is cheaper at some of these sizes.
TEST_CASE("the estimate of lattice attacks is not above what opened an instance", "[attack]") {
  constexpr double kMargin = 5;
  std::vector<OpenedInstance> instances = opened_instances();
  std::ranges::copy(long_opened_instances(), std::back_inserter(instances));
  for (const OpenedInstance& instance : instances) {
    CAPTURE(instance.sizes.eta - instance.sizes.rho, instance.sizes.gamma, instance.sizes.slots,
            instance.cycles);
    double cycles = HUGE_VAL;
    double core = HUGE_VAL;
    const security::Estimate estimate = security::estimate({.samples = instance.sizes});
    for (const security::Attack& attack : estimate.attacks) {
      if (attack.name != "unique shortest vector" && attack.name != "orthogonal lattice") continue;
      cycles = std::min(cycles, attack.cycles);
      core = std::min(core, attack.core);
    }
    CHECK(cycles <= instance.cycles + kMargin);
    CHECK(core <= instance.cycles + kMargin);
    CHECK(estimate.cycles() <= instance.cycles + kMargin);
    CHECK(estimate.core() <= instance.cycles + kMargin);
  }
}

}  // namespace fhe::attack
