// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/secret_divisor.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

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

// x += row * factor, and `carry` to the limb above that; returns the carry out of that limb.
Limb add_row(Limb* x, std::span<const Limb> row, Limb factor, Limb carry) {
  const Limb high = mpn_addmul_1(x, row.data(), static_cast<mp_size_t>(row.size()), factor);
  Limb& top = x[row.size()];
  const Limb partial = top + high;
  const Limb first_carry = partial < high ? 1 : 0;
  top = partial + carry;
  return first_carry + (top < carry ? 1 : 0);
}

}  // namespace

SecretDivisor::SecretDivisor(const Integer& p, std::size_t dividend_limbs,
                             std::unique_ptr<ChunkForm> form)
    : size_(limbs_of(p).size()),
      p_(p, size_ + 1),
      negated_inverse_(negated_inverse(p_[0])),
      steps_(std::max(dividend_limbs, size_) - size_),
      undo_steps_(power_of_base(size_ + steps_)) {
  if (form != nullptr) slices_ = slices_of(std::move(form));
}

SecretDivisor::Slices SecretDivisor::slices_of(std::unique_ptr<ChunkForm> form) const {
  const ChunkForm::Shape shape = form->shape();
  SecretLimbs weight = one();
  const SecretLimbs next_chunk = power_of_base(size_ + shape.chunk_limbs);
  for (std::size_t j = 0; j < shape.chunks; ++j) {
    form->set_weight(j, std::span(weight.data(), size_));
    weight = product(weight, next_chunk);
  }
  std::vector<SecretLimbs> places;
  places.push_back(one());
  const SecretLimbs next_slice = power_of_base(size_ + shape.chunk_limbs * shape.chunks);
  while (places.size() < shape.slices) places.push_back(product(places.back(), next_slice));
  const std::size_t steps = shape.sum_limbs + 1;
  return {std::move(form), std::move(places), power_of_base(size_ + steps), steps};
}

// The sums times their places add up to less than slices * B^(sum_limbs + n).
SecretLimbs SecretDivisor::residue_by_slices(const Integer& x) const {
  const ChunkForm::Shape shape = slices_->form->shape();
  SecretLimbs sums(shape.slices * shape.sum_limbs);
  slices_->form->sums(x, std::span(sums.data(), sums.size()));
  SecretLimbs total(slices_->steps + size_ + 1);
  for (std::size_t s = 0; s < shape.slices; ++s) {
    const std::span sum(sums.data() + s * shape.sum_limbs, shape.sum_limbs);
    Limb carry = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      carry = add_row(total.data() + i, sum, slices_->places[s][i], carry);
    }
    total[size_ + shape.sum_limbs] += carry;
  }
  return product(reduced(std::move(total), slices_->steps), slices_->undo_steps);
}

// x B^-steps modulo p, below B^n + p: one limb after the other is made to vanish, the carries of
// which lag one limb behind. Requires steps + n + 1 limbs of x, the top one with room for a carry.
SecretLimbs SecretDivisor::reduced(SecretLimbs x, std::size_t steps) const {
  Limb carry = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    carry = add_row(x.data() + i, std::span(p_.data(), size_), x[i] * negated_inverse_, carry);
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

SecretLimbs SecretDivisor::one() const {
  SecretLimbs result(size_ + 1);
  result[0] = 1;
  return result;
}

SecretLimbs SecretDivisor::residue(const Integer& x) const {
  if (slices_) return residue_by_slices(x);
  return product(reduced(SecretLimbs(x, steps_ + size_ + 1), steps_), undo_steps_);
}

CenteredResidue SecretDivisor::centered_residue(const Integer& x) const {
  CenteredResidue result{.magnitude = residue(x), .negative = 0};
  SecretLimbs scratch(2 * p_.size());
  result.negative =
      centre(std::span(result.magnitude.data(), result.magnitude.size()),
             std::span(p_.data(), p_.size()), std::span(scratch.data(), scratch.size()));
  return result;
}

Limb centre(std::span<Limb> residue, std::span<const Limb> p, std::span<Limb> scratch) {
  const auto count = static_cast<mp_size_t>(residue.size());
  const std::span<Limb> other = scratch.first(residue.size());  // p - x mod p
  mpn_sub_n(other.data(), p.data(), residue.data(), count);
  Limb* const difference = scratch.data() + residue.size();
  const Limb negative = mpn_sub_n(difference, other.data(), residue.data(), count);
  const Limb replace = 0 - negative;
  for (std::size_t i = 0; i < residue.size(); ++i) {
    residue[i] ^= (residue[i] ^ other[i]) & replace;
  }
  return negative;
}

}  // namespace fhe::dghv
