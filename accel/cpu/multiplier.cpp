// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/multiplier.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "accel/cpu/goldilocks/goldilocks_plan.hpp"
#include "accel/cpu/schoolbook/schoolbook.hpp"
#include "accel/cpu/three_primes/three_primes_plan.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// From where on transforms over three primes pay, as measured on Zen 5.
struct ThreePrimesCosts {
  std::size_t break_even_limbs;
  std::size_t ring_break_even_limbs;
  // GMP takes about as long for so many limb products as a plan for one of its limbs, while
  // operands are so short that GMP multiplies by the schoolbook or by Karatsuba's method.
  std::size_t products_per_plan_limb;
};

ThreePrimesCosts three_primes_costs(Kernel kernel) {
  switch (kernel) {
    case Kernel::portable:
      return {kNever, kNever, kNever};
    case Kernel::avx2:
      return {110, 150, 60};
    case Kernel::avxifma:
      return {110, 130, 55};
    case Kernel::avx512:
      return {60, 80, 32};
    case Kernel::ifma:
      return {40, 80, 22};
    case Kernel::neon:  // by counts: the instructions of AVX2 twice, where GMP takes twice the
                        // clocks
      return {110, 150, 60};
  }
  return {kNever, kNever, kNever};
}

// From this ratio of lengths on, the longer operand is cut into blocks: the transform of the
// shorter one is then computed once, and no transform is mostly zeros.
constexpr std::size_t kBlockwiseRatio = 4;

// The longest plan of both fields.
constexpr std::size_t kMostPlanLimbs = kMaxThreePrimesPlanLimbs;

// The length of a plan for blocks of a longer operand times one of so many limbs.
constexpr std::size_t blockwise_limbs(std::size_t short_limbs) {
  return std::min(kBlockwiseRatio * short_limbs, kMostPlanLimbs);
}

// x mod 2^(64 limbs) and |x| / 2^(64 limbs), for absolute values.
struct Halves {
  Halves(const Integer& x, std::size_t limbs) {
    const auto all = limbs_of(x);
    const std::size_t cut = std::min(limbs, all.size());
    low = from_limbs(all.first(cut));
    high = from_limbs(all.subspan(cut));
  }
  Integer low;
  Integer high;
};

}  // namespace

std::string_view to_string(Field field) {
  return field == Field::goldilocks ? "goldilocks" : "three primes";
}

std::optional<std::size_t> Multiplier::break_even_limbs() const {
  if (transform_break_even_limbs() == kNever) return {};
  std::size_t limbs = 1;
  while (!schoolbook_pays(kernel_, limbs, limbs, false) && !transforms_pay(limbs, limbs)) ++limbs;
  return limbs;
}

std::size_t Multiplier::transform_break_even_limbs() const {
  if (field_ == Field::three_primes) return three_primes_costs(kernel_).break_even_limbs;
  switch (kernel_) {
    case Kernel::portable:
    case Kernel::neon:  // has no products of 64 bits
      return kNever;
    case Kernel::avx2:
    case Kernel::avxifma:
      return 3072;
    case Kernel::avx512:
    case Kernel::ifma:
      return 320;
  }
  return kNever;
}

std::size_t Multiplier::ring_break_even_limbs() const {
  constexpr std::size_t kPortable = 8192;
  if (field_ == Field::three_primes) return three_primes_costs(kernel_).ring_break_even_limbs;
  return std::min(transform_break_even_limbs(), kPortable);
}

bool Multiplier::ring_pays(std::size_t limbs, bool is_complement) const {
  if (field_ == Field::three_primes || transform_break_even_limbs() != kNever) return true;
  // Without vectors three transforms for a modulus of the general kind take as long as GMP's
  // products or less, if the plan is hardly longer than a product. Reduction of the other kind
  // leaves one product.
  const std::size_t product = 2 * limbs + 1;
  return !is_complement && 20 * product >= 19 * plan_limbs(product);
}

std::size_t Multiplier::plan_limbs(std::size_t min_limbs) const {
  return field_ == Field::goldilocks ? goldilocks_plan_limbs(min_limbs)
                                     : three_primes_plan_limbs(min_limbs);
}

PlanPtr Multiplier::plan(std::size_t min_limbs) const {
  const std::size_t limbs = plan_limbs(min_limbs);
  const std::lock_guard lock(guard_);
  PlanPtr& plan = plans_[limbs];
  if (plan == nullptr) {
    plan = field_ == Field::goldilocks ? make_goldilocks_plan(limbs, kernel_)
                                       : make_three_primes_plan(limbs, kernel_);
  }
  return plan;
}

bool Multiplier::transforms_pay(std::size_t short_limbs, std::size_t long_limbs) const {
  if (short_limbs < transform_break_even_limbs()) return false;
  if (field_ == Field::goldilocks) return true;
  if (short_limbs > kMostPlanLimbs / 2) return true;
  const std::size_t length =
      plan_limbs(std::min(short_limbs + long_limbs, blockwise_limbs(short_limbs)));
  const std::size_t multiplied = std::min(long_limbs, length - short_limbs);
  return short_limbs * multiplied >= three_primes_costs(kernel_).products_per_plan_limb * length;
}

Integer Multiplier::multiply(const Integer& x, const Integer& y) const {
  const bool x_longer = mpz_size(x.get_mpz_t()) >= mpz_size(y.get_mpz_t());
  const Integer& longer = x_longer ? x : y;
  const Integer& shorter = x_longer ? y : x;
  const std::size_t short_limbs = mpz_size(shorter.get_mpz_t());
  const std::size_t long_limbs = mpz_size(longer.get_mpz_t());
  const bool by_schoolbook =
      schoolbook_pays(kernel_, short_limbs, long_limbs, x.get_mpz_t() == y.get_mpz_t());
  if (!by_schoolbook && !transforms_pay(short_limbs, long_limbs)) return x * y;
  const bool in_halves = short_limbs > kMostPlanLimbs / 2;
  const bool balanced =
      short_limbs + long_limbs <= kMostPlanLimbs && long_limbs < kBlockwiseRatio * short_limbs;
  Integer product = by_schoolbook ? schoolbook_product(kernel_, longer, shorter)
                    : in_halves   ? multiply_halves(longer, shorter)
                    : balanced    ? multiply_balanced(longer, shorter)
                                  : multiply_blockwise(longer, shorter);
  if (sgn(x) != sgn(y)) mpz_neg(product.get_mpz_t(), product.get_mpz_t());
  return product;
}

Integer Multiplier::multiply_balanced(const Integer& x, const Integer& y) const {
  // (2^a - 1)(2^b - 1) < 2^(a+b) - 1: a plan of exactly the product's limbs does not wrap.
  return product_integer(*plan(limbs_of(x).size() + limbs_of(y).size()), x, y);
}

Integer Multiplier::multiply_blockwise(const Integer& longer, const Integer& shorter) const {
  const auto x = limbs_of(longer);
  const auto y = limbs_of(shorter);
  const PlanPtr plan = this->plan(blockwise_limbs(y.size()));
  const std::size_t block = plan->limbs() - y.size();
  const Spectrum y_spectrum = plan->forward(y);
  std::vector<Limb> product(x.size() + y.size() + plan->limbs());
  std::vector<Limb> partial(plan->limbs());
  for (std::size_t first = 0; first < x.size(); first += block) {
    plan->product(x.subspan(first, std::min(block, x.size() - first)), y_spectrum, partial);
    add_into(std::span(product).subspan(first), partial);
  }
  return from_limbs(product);
}

Integer Multiplier::multiply_halves(const Integer& longer, const Integer& shorter) const {
  // Karatsuba: x1 y0 + x0 y1 = (x0 + x1)(y0 + y1) - x0 y0 - x1 y1.
  const std::size_t half = (limbs_of(longer).size() + 1) / 2;
  const Halves x(longer, half);
  const Halves y(shorter, half);
  const Integer low = multiply(x.low, y.low);
  const Integer high = multiply(x.high, y.high);
  const Integer middle = multiply(x.low + x.high, y.low + y.high) - low - high;
  return low + (middle << (half * kLimbBits)) + (high << (2 * half * kLimbBits));
}

}  // namespace fhe::cpu
