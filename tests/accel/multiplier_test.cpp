// SPDX-License-Identifier: Apache-2.0
// Products of operands that no plan is long enough for.
#include "accel/cpu/multiplier.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/three_primes/three_primes_plan.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"
#include "tests/catch.hpp"

namespace {

using namespace fhe;
using namespace fhe::cpu;

constexpr std::size_t kLongestPlan = kMaxThreePrimesPlanLimbs;

Integer long_number(std::size_t limbs, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Limb> words(limbs);
  std::ranges::generate(words, random);
  words.back() |= 1;
  return from_limbs(words);
}

// Whether z = x y modulo some primes.
bool is_long_product(const Integer& z, const Integer& x, const Integer& y) {
  return std::ranges::all_of(std::vector<unsigned long>{4294967291, 4294967279, 4294967231},
                             [&](unsigned long p) {
                               const Integer right = Integer(x % p) * Integer(y % p) % p;
                               return Integer(z % p) == right;
                             });
}

}  // namespace

TEST_CASE("multiplier: operands beyond the longest plan", "[three_primes]") {
  for (const Kernel kernel : available_kernels()) {
    if (kernel == Kernel::portable) continue;
    CAPTURE(to_string(kernel));
    const Multiplier multiplier(Field::three_primes, kernel);
    const std::size_t half = kLongestPlan / 2;
    const Integer x = long_number(half + 1, 1);  // in halves
    const Integer y = -long_number(half + 20'000, 2);
    CHECK(is_long_product(multiplier.multiply(x, y), x, y));
    CHECK(is_long_product(multiplier.multiply(y, y), y, y));
    const Integer block = long_number(half, 3);  // in blocks
    CHECK(is_long_product(multiplier.multiply(y, block), y, block));
    CHECK(is_long_product(multiplier.multiply(block, block), block, block));
    const Integer ones = power_of_two(64 * (half + 100)) - 1;
    const bool squared = multiplier.multiply(ones, ones) ==
                         power_of_two(128 * (half + 100)) - power_of_two(64 * (half + 100) + 1) + 1;
    CHECK(squared);
    const Integer low = power_of_two(64 * (half + 100));  // one half of it is zero
    const bool shifted = multiplier.multiply(low, y) == y << (64 * (half + 100));
    CHECK(shifted);
  }
}

TEST_CASE("multiplier: moduli beyond the longest plan have a ring", "[three_primes]") {
  const Integer modulus = power_of_two(64 * (kLongestPlan / 2)) - 3;
  const auto ring = open_backend("auto")->ring(modulus);
  const bool right = ring->multiply(Integer(modulus - 1), Integer(modulus - 5)) == 5;
  CHECK(right);
}
