// SPDX-License-Identifier: Apache-2.0
// The twiddle ROMs, as generated, behind their exponents.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "TwiddleFactors.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::kRoot;
using fhe::test::limb;
using fhe::test::multiply_mod;
using fhe::test::power_mod;
using fhe::test::Simulation;

constexpr std::size_t kPoints = 65536;
constexpr int kLatency = 3;

// The exponent e of the stage, from the digits that the points of the butterfly share.
std::size_t exponent(std::size_t stage, std::size_t count) {
  const std::size_t c2 = count >> 8;
  const std::size_t c1 = count >> 4 & 15;
  const std::size_t c0 = count & 15;
  const auto digits = [](std::size_t high, std::size_t middle, std::size_t low) {
    return high << 8 | middle << 4 | low;
  };
  switch (stage) {
    case 0:
      return digits(c2, c1, c0);
    case 1:
      return digits(c1, c0, 0);
    case 2:
      return digits(c0, 0, 0);
    case 4:
      return digits(c0, c1, c2);
    case 5:
      return digits(c1, c2, 0);
    default:
      return digits(c2, 0, 0);
  }
}

std::vector<std::uint64_t> powers_of_root() {
  std::vector<std::uint64_t> result(kPoints, 1);
  for (std::size_t i = 1; i < kPoints; ++i) result[i] = multiply_mod(result[i - 1], kRoot);
  return result;
}

}  // namespace

TEST_CASE("rtl twiddle_factors: w^(k e) and w^(-k e) of all stages", "[rtl]") {
  REQUIRE(power_mod(kRoot, kPoints / 2) == fhe::test::kModulus - 1);
  const std::vector<std::uint64_t> powers = powers_of_root();
  Simulation<TwiddleFactors> factors;
  for (const std::size_t stage : {0U, 1U, 2U, 4U, 5U, 6U}) {
    factors->stage = static_cast<CData>(stage);
    for (std::size_t clock = 0; clock < 4096 + kLatency; ++clock) {
      factors->count = static_cast<SData>(clock % 4096);
      if (clock >= kLatency) {
        const std::size_t e = exponent(stage, clock - kLatency);
        for (std::size_t k = 0; k < 16; ++k) {
          const std::size_t power = (stage < 4 ? k * e : kPoints * 16 - k * e) % kPoints;
          if (limb(factors->factors, k) != powers[power]) {
            FAIL("stage " << stage << ", butterfly " << clock - kLatency << ", lane " << k);
          }
        }
      }
      factors.clock();
    }
  }
  CHECK(limb(factors->factors, 0) == 1);
}
