// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "accel/cpu/limb_spans.hpp"
#include "accel/cpu/rings.hpp"

namespace fhe::cpu {

namespace {

// Bits of a quotient up to which GMP divides.
constexpr std::size_t kDividedBits = std::size_t{1} << 15;

}  // namespace

// With d of n bits, the quotient X = 2^k / d has q = k - n + 1 bits, or one less. From the
// reciprocal y of the leading m bits d' of d, y = floor(2^(m+h-1) / d') of h bits, h > q/2:
//
//   x = 2^(q-h) y = X (1 + e),  |e| < 2^(2-h);   E = 2^k - x d;   c = x E / 2^k,
//
// and x + c = X (1 - e^2) is off by less than 2^(q+4-2h) < 1. For c the leading bits of E are
// enough: with E' = floor(E / 2^(n-2)) it is y E' / 2^(h+1), off by one more at most. All of it is
// rounded down, so the result is never too large. The remainder E - c d says what is missing.
Integer reciprocal(const Integer& divisor, std::size_t bits, const Multiplier& multiplier) {
  const std::size_t n = bit_length(divisor);
  if (bits < n + kDividedBits) return power_of_two(bits) / divisor;
  const std::size_t q = bits - n + 1;
  const std::size_t h = q / 2 + 4;
  const std::size_t m = std::min(n, h + 2);
  const Integer y = reciprocal(divisor >> (n - m), m + h - 1, multiplier);

  const Integer error = power_of_two(bits) - (multiplier.multiply(y, divisor) << (q - h));
  const Integer correction = multiplier.multiply(y, error >> (n - 2)) >> (h + 1);
  Integer x = (y << (q - h)) + correction;
  Integer remainder = error - multiplier.multiply(correction, divisor);
  for (; remainder >= divisor; remainder -= divisor) ++x;
  return x;
}

namespace {

// The first `count` limbs of x become x modulo 2^(64 count) - 1, where zero may stand as all ones.
// Returns them. Requires count <= x.size() <= 2 count.
std::span<Limb> fold_cyclic(std::span<Limb> x, std::size_t count) {
  const auto low = x.first(count);
  const auto high = x.subspan(count);
  if (high.empty()) return low;
  const Limb carry = mpn_add(low.data(), low.data(), size_of(low), high.data(), size_of(high));
  mpn_add_1(low.data(), low.data(), size_of(low), carry);
  return low;
}

// x -= y modulo 2^(64 x.size()) - 1, where zero may stand as all ones. Requires equal sizes.
void subtract_cyclic(std::span<Limb> x, std::span<const Limb> y) {
  const Limb borrow = mpn_sub_n(x.data(), x.data(), y.data(), size_of(x));
  mpn_sub_1(x.data(), x.data(), size_of(x), borrow);
}

// Sums of more products than that are reduced by the general way.
constexpr std::size_t kSpareBits = 5;

// u and v of the header.
std::size_t cut_of(std::size_t bits) {
  return bits / kLimbBits;
}
std::size_t quotient_of(std::size_t bits) {
  return limbs_for_bits(2 * bits) - cut_of(bits);
}

// Limbs of (x / B^u) mu for x < 2^n N, and of x; see the header.
std::size_t long_limbs(std::size_t bits) {
  return std::max(limbs_for_bits(2 * bits), quotient_of(bits) + limbs_for_bits(bits));
}

// B^(u+v) / N.
Integer long_reciprocal(const Integer& modulus, const Multiplier& multiplier) {
  return reciprocal(modulus, limbs_for_bits(2 * bit_length(modulus)) * kLimbBits, multiplier);
}

// 2^(2n) / N, of the above.
Integer barrett_reciprocal(const Integer& reciprocal, std::size_t bits) {
  return reciprocal >> (limbs_for_bits(2 * bits) * kLimbBits - 2 * bits);
}

}  // namespace

BarrettRing::BarrettRing(BackendPtr backend, const Multiplier& multiplier, const Integer& modulus)
    : BarrettRing(std::move(backend), multiplier, modulus, long_reciprocal(modulus, multiplier)) {}

BarrettRing::BarrettRing(BackendPtr backend, const Multiplier& multiplier, const Integer& modulus,
                         const Integer& reciprocal)
    : TransformRing(std::move(backend), modulus,
                    barrett_reciprocal(reciprocal, bit_length(modulus)),
                    multiplier.plan(long_limbs(bit_length(modulus)))),
      cut_limbs_(cut_of(bits())),
      quotient_at_(quotient_of(bits())),
      limit_(modulus << bits()),
      short_plan_(multiplier.plan(limbs_for_bits(bits() + 2))),
      reciprocal_(plan().forward(limbs_of(reciprocal))),
      modulus_(short_plan_->forward(limbs_of(modulus))) {}

Integer BarrettRing::reduce(const Integer& x) const {
  const std::size_t n = bits();
  const std::size_t length = bit_length(x);
  // A short quotient is cheaper by two short products than by transforms of full length.
  if (x < 0 || length < n + n / 4 || length > 2 * n + kSpareBits) return Ring::reduce(x);
  const auto given = limbs_of(x);
  PooledWords copy(std::max(limbs_for_bits(2 * n), given.size()));
  std::ranges::fill(std::ranges::copy(given, copy.data()).out, copy.data() + copy.size(), Limb{0});
  return reduce_sum(limbs_in(copy));
}

void BarrettRing::trim(std::span<Limb> x) const {
  while (!is_below(x, limbs_of(limit_))) subtract_limbs(x, limbs_of(limit_));
}

Integer BarrettRing::reduce_sum(std::span<Limb> x) const {
  backend().counters().count_reduction();
  const auto modulus = limbs_of(this->modulus());
  trim(x);
  x = x.first(limbs_for_bits(2 * bits()));

  PooledWords estimate(plan().limbs());
  plan().product(x.subspan(cut_limbs_), reciprocal_, limbs_in(estimate));
  count_product();
  const auto quotient = limbs_in(estimate).subspan(quotient_at_, modulus.size());

  PooledWords multiple(short_plan_->limbs());
  short_plan_->product(quotient, modulus_, limbs_in(multiple));
  count_product();

  // A remainder 0 does not come out as all ones. x = q N needs x = 0 or an N that is a power of
  // two, since the cuts of the header cost nothing only then; so both are 0, or no multiple of B^L
  // - 1.
  const auto remainder = fold_cyclic(x, std::min(x.size(), multiple.size()));
  subtract_cyclic(remainder, limbs_in(multiple));
  while (!is_below(remainder, modulus)) subtract_limbs(remainder, modulus);
  return from_limbs(remainder);
}

}  // namespace fhe::cpu
