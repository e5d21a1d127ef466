// SPDX-License-Identifier: Apache-2.0
// Operands that drive what a transform computes with to the ends of its range, in every length that
// there is: the largest digits everywhere, and carries through all limbs. A verify build
// (accel/cpu/bounds.hpp) checks the ranges meanwhile. The results are known without
// multiplying.
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "accel/cpu/goldilocks/goldilocks_plan.hpp"
#include "accel/cpu/kernel.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/three_primes_plan.hpp"
#include "accel/cpu/transform.hpp"
#include "libfhe/arith/integer.hpp"
#include "tests/catch.hpp"

namespace {

using namespace fhe;
using namespace fhe::cpu;
using Limbs = std::vector<Limb>;

constexpr Limb kOnes = ~Limb{0};

// One field on one kernel.
struct Transform {
  std::string name;
  std::function<std::size_t(std::size_t)> limbs;
  std::function<PlanPtr(std::size_t)> plan;
  std::size_t longest;
};

std::vector<Transform> transforms() {
  constexpr std::size_t kLongestOfGoldilocks = 5'000'000;
  std::vector<Transform> result;
  for (const Kernel kernel : available_kernels()) {
    result.push_back({"Goldilocks, " + std::string(to_string(kernel)), goldilocks_plan_limbs,
                      [kernel](std::size_t limbs) { return make_goldilocks_plan(limbs, kernel); },
                      kLongestOfGoldilocks});
    if (three_primes::has_kernels(kernel)) {
      result.push_back(
          {"three primes, " + std::string(to_string(kernel)), three_primes_plan_limbs,
           [kernel](std::size_t limbs) { return make_three_primes_plan(limbs, kernel); },
           kMaxThreePrimesPlanLimbs});
    }
  }
  return result;
}

Limbs product(const TransformPlan& plan, std::span<const Limb> x, std::span<const Limb> y) {
  Limbs out(plan.limbs(), 0x5555);
  plan.product(x, y, out);
  return out;
}

// (2^a - 1)(2^b - 1) = 2^(a+b) - 2^a - 2^b + 1 for a, b and a + b of whole limbs, b >= a > 0: a
// limb 1, zeros, from limb b on a limb less 2^0, ones, and 2^0 less at limb a.
Limbs product_of_ones(std::size_t a, std::size_t b) {
  Limbs result(a + b, 0);
  result[0] = 1;
  for (std::size_t i = a; i < a + b; ++i) result[i] = kOnes;
  result[b] -= 1;
  return result;
}

void check_extremes(const TransformPlan& plan) {
  const std::size_t limbs = plan.limbs();
  const std::size_t half = limbs / 2;
  const Limbs ones(limbs, kOnes);
  const std::span<const Limb> all(ones);
  // Compared outside of CHECK, which would print megabytes.
  const bool halves = product(plan, all.first(half), all.first(limbs - half)) ==
                      product_of_ones(half, limbs - half);
  CHECK(halves);
  const bool nothing = product(plan, all, all.first(half)) == Limbs(limbs, 0);  // 2^(64 L) - 1 = 0
  CHECK(nothing);
  Limbs minus_one(limbs, kOnes);
  minus_one[0] -= 1;
  Limbs one(limbs, 0);
  one[0] = 1;
  const bool square = product(plan, minus_one, minus_one) == one;
  CHECK(square);
  const bool back = product(plan, minus_one, one) == minus_one;
  CHECK(back);
}

void check_lengths(const Transform& transform, std::size_t first, std::size_t last) {
  for (std::size_t limbs = transform.limbs(first); limbs <= last && limbs < transform.longest;
       limbs = transform.limbs(limbs + 1)) {
    CAPTURE(transform.name, limbs);
    const PlanPtr plan = transform.plan(limbs);
    REQUIRE(plan->limbs() == limbs);
    check_extremes(*plan);
  }
}

constexpr std::size_t kQuickLimbs = 25'000;  // of products of 800,000-bit operands
constexpr std::size_t kLongestLimbs = 2 * 40'000'000 / kLimbBits;

}  // namespace

TEST_CASE("the largest digits and carries through all limbs, in every length of plan",
          "[goldilocks][three_primes]") {
  for (const Transform& transform : transforms()) check_lengths(transform, 1, kQuickLimbs);
}

TEST_CASE("the largest digits and carries through all limbs, in every length up to 80 Mbit",
          "[goldilocks][three_primes][long]") {
  for (const Transform& transform : transforms()) {
    check_lengths(transform, kQuickLimbs + 1, kLongestLimbs);
  }
}
