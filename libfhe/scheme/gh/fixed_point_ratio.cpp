// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/fixed_point_ratio.hpp"

#include <algorithm>
#include <bit>

namespace fhe::gh {

FixedPointRatio::FixedPointRatio(const Integer& w, const Integer& d, std::size_t fraction_bits)
    : modulus_limbs_(limbs_of(d).size()),
      fraction_limbs_(limbs_for_bits(fraction_bits + kLimbBits +
                                     static_cast<std::size_t>(std::bit_width(modulus_limbs_ + 1)))),
      digits_(modulus_limbs_ + fraction_limbs_ + 1) {
  const SecretInteger scaled(w << ((modulus_limbs_ + fraction_limbs_) * kLimbBits));
  const SecretInteger quotient(scaled.value() / d);
  std::ranges::copy(limbs_of(quotient.value()), digits_.data());
}

FixedPointRatio::NearestInteger FixedPointRatio::nearest(const Integer& c) const {
  const auto c_limbs = limbs_of(c);
  const auto fraction_size = static_cast<mp_size_t>(fraction_limbs_);
  SecretLimbs sum(fraction_limbs_ + 1);
  for (std::size_t i = 0; i < c_limbs.size(); ++i) {
    mpn_addmul_1(sum.data(), digits_.data() + (modulus_limbs_ - i), fraction_size + 1, c_limbs[i]);
  }
  const Limb above_half = sum[fraction_limbs_ - 1] >> (kLimbBits - 1);
  const Limb odd = (sum[fraction_limbs_] + above_half) & 1;

  // The fraction, negated above 1/2, and the most that the rounding errors add.
  SecretLimbs distance(fraction_limbs_);
  for (std::size_t i = 0; i < distance.size(); ++i) distance[i] = sum[i] ^ (0 - above_half);
  SecretLimbs scratch(static_cast<std::size_t>(mpn_sec_add_1_itch(fraction_size)));
  mpn_sec_add_1(distance.data(), distance.data(), fraction_size, above_half, scratch.data());
  mpn_sec_add_1(distance.data() + 1, distance.data() + 1, fraction_size - 1, modulus_limbs_ + 1,
                scratch.data());
  return {.odd = odd != 0, .distance = std::move(distance)};
}

}  // namespace fhe::gh
