// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/secret_divisor.hpp"

#include <algorithm>
#include <bit>

namespace fhe::dghv {

namespace {

mp_size_t count_of(const SecretLimbs& x) {
  return static_cast<mp_size_t>(x.size());
}

// -1/p mod 2^64 for an odd p, by Newton's iteration: each step doubles the bits that are right.
Limb negated_inverse(Limb p) {
  Limb inverse = (3 * p) ^ 2;  // 5 bits
  for (int right = 5; right < 64; right *= 2) inverse *= 2 - p * inverse;
  return 0 - inverse;
}

}  // namespace

SecretDivisor::SecretDivisor(const Integer& p, std::size_t dividend_limbs)
    : size_(limbs_of(p).size()),
      p_(p, size_ + 1),
      negated_inverse_(negated_inverse(p_[0])),
      steps_(std::max(dividend_limbs, size_) - size_),
      undo_steps_(power_of_base(size_ + steps_)) {}

// x B^-steps modulo p, below B^n + p: one limb after the other is made to vanish, the carries of
// which lag one limb behind. Requires steps + n + 1 limbs of x, the top one with room for a carry.
SecretLimbs SecretDivisor::reduced(SecretLimbs x, std::size_t steps) const {
  Limb carry = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const Limb high = mpn_addmul_1(x.data() + i, p_.data(), static_cast<mp_size_t>(size_),
                                   x[i] * negated_inverse_);
    Limb& top = x[i + size_];
    const Limb partial = top + high;
    const Limb first_carry = partial < high ? 1 : 0;
    top = partial + carry;
    carry = first_carry + (top < carry ? 1 : 0);
  }
  x[steps + size_] += carry;
  SecretLimbs result(size_ + 1);
  std::copy_n(x.data() + steps, result.size(), result.data());
  return result;
}

// x y B^-n mod p in [0, p), for x < 2 B^n and y < p.
SecretLimbs SecretDivisor::product(const SecretLimbs& x, const SecretLimbs& y) const {
  SecretLimbs all(2 * size_ + 1);
  const auto size = static_cast<mp_size_t>(size_);
  SecretLimbs scratch(static_cast<std::size_t>(mpn_sec_mul_itch(size + 1, size)));
  mpn_sec_mul(all.data(), x.data(), size + 1, y.data(), size, scratch.data());
  SecretLimbs result = reduced(std::move(all), size_);  // below 3 p
  subtract_once(result);
  subtract_once(result);
  return result;
}

// x - p unless that is negative.
void SecretDivisor::subtract_once(SecretLimbs& x) const {
  const Limb below = mpn_sub_n(x.data(), x.data(), p_.data(), count_of(x));
  mpn_cnd_add_n(below, x.data(), x.data(), p_.data(), count_of(x));
}

// B^exponent mod p for an exponent >= n: B^n and B^(n+1) by doubling B^(n-1) < p, the rest by
// square and multiply, where product(B^i, B^j) = B^(i+j-n).
SecretLimbs SecretDivisor::power_of_base(std::size_t exponent) const {
  SecretLimbs power(size_ + 1);
  power[size_ - 1] = 1;
  const auto times_base = [&] {
    for (std::size_t i = 0; i < kLimbBits; ++i) {
      mpn_lshift(power.data(), power.data(), count_of(power), 1);
      subtract_once(power);
    }
  };
  times_base();
  SecretLimbs result(size_ + 1);
  std::copy_n(power.data(), power.size(), result.data());
  times_base();
  const std::size_t more = exponent - size_;
  for (auto bit = std::bit_width(more); bit-- > 0;) {
    result = product(result, result);
    if ((more >> bit & 1) != 0) result = product(result, power);
  }
  return result;
}

SecretLimbs SecretDivisor::residue(const Integer& x) const {
  return product(reduced(SecretLimbs(x, steps_ + size_ + 1), steps_), undo_steps_);
}

SecretDivisor::Centered SecretDivisor::centered_residue(const Integer& x) const {
  Centered result{.magnitude = residue(x), .negative = 0};
  SecretLimbs other(p_.size());  // p - x mod p
  mpn_sub_n(other.data(), p_.data(), result.magnitude.data(), count_of(other));
  SecretLimbs difference(p_.size());
  result.negative =
      mpn_sub_n(difference.data(), other.data(), result.magnitude.data(), count_of(other));
  const Limb replace = 0 - result.negative;
  for (std::size_t i = 0; i < other.size(); ++i) {
    result.magnitude[i] ^= (result.magnitude[i] ^ other[i]) & replace;
  }
  return result;
}

}  // namespace fhe::dghv
