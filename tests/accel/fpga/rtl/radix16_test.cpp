// SPDX-License-Identifier: Apache-2.0
// The 16-point transform in both constructions: the same ten clocks, the same results.
#include <deque>
#include <string>

#include "Radix16Layers.h"
#include "Radix16Sums.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::kModulus;
using fhe::test::Lanes;
using fhe::test::limb;
using fhe::test::set_limbs;
using fhe::test::Simulation;
using fhe::test::transform16;
using fhe::test::Words;

constexpr std::size_t kLatency = 10;

// Random points, all ones, all p - 1, one point alone.
Lanes points(Words& words, std::size_t trial) {
  Lanes result{};
  switch (trial % 5) {
    case 0:
      result.fill(~std::uint64_t{0});
      break;
    case 1:
      result.fill(kModulus - 1);
      break;
    case 2:
      result[words.below(16)] = words.word();
      break;
    default:
      for (std::uint64_t& x : result) x = words.word();
  }
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("rtl radix16: transforms of 16 points, one per clock", "[rtl]", Radix16Sums,
                   Radix16Layers) {
  constexpr std::size_t kTrials = 400;
  const bool inverse = GENERATE(false, true);
  Simulation<TestType> radix16;
  radix16->inverse = inverse;
  Words words(inverse ? 6 : 5);
  std::deque<Lanes> expected;
  for (std::size_t trial = 0; trial < kTrials + kLatency; ++trial) {
    const Lanes x = points(words, trial);
    set_limbs(radix16->points, x);
    expected.push_back(transform16(x, inverse));
    radix16.clock();
    if (expected.size() < kLatency) continue;
    Lanes result{};
    for (std::size_t k = 0; k < 16; ++k) result[k] = limb(radix16->spectrum, k);
    if (result != expected.front()) FAIL("trial " + std::to_string(trial));
    expected.pop_front();
  }
  CHECK(expected.size() == kLatency - 1);
}
