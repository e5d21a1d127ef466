#include "libfhe/scheme/gh/fixed_point_ratio.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace fhe::gh {

FixedPointRatio::FixedPointRatio(const Integer& w, const Integer& d, std::size_t fraction_bits)
    : modulus_limbs_(limbs_of(d).size()),
      fraction_limbs_(limbs_for_bits(fraction_bits + kLimbBits +
                                     static_cast<std::size_t>(std::bit_width(modulus_limbs_ + 1)))),
      digits_(modulus_limbs_ + fraction_limbs_ + 1) {
  const SecretInteger scaled(w << ((modulus_limbs_ + fraction_limbs_) * kLimbBits));
  const SecretInteger quotient(scaled.value() / d);
  std::ranges::copy(limbs_of(quotient.value()), digits_.begin());
}

FixedPointRatio::~FixedPointRatio() {
  wipe(std::as_writable_bytes(std::span(digits_)));
}

FixedPointRatio::NearestInteger FixedPointRatio::nearest(const Integer& c) const {
  const auto c_limbs = limbs_of(c);
  const auto fraction_size = static_cast<mp_size_t>(fraction_limbs_);
  std::vector<Limb> sum(fraction_limbs_ + 1);
  for (std::size_t i = 0; i < c_limbs.size(); ++i) {
    mpn_addmul_1(sum.data(), digits_.data() + (modulus_limbs_ - i), fraction_size + 1, c_limbs[i]);
  }
  const Limb above_half = sum[fraction_limbs_ - 1] >> (kLimbBits - 1);
  const bool odd = ((sum[fraction_limbs_] + above_half) & 1) != 0;

  std::vector<Limb> distance(sum.begin(), sum.end() - 1);
  if (above_half != 0) mpn_neg(distance.data(), distance.data(), fraction_size);
  mpn_add_1(distance.data() + 1, distance.data() + 1, fraction_size - 1, modulus_limbs_ + 1);
  SecretInteger result(from_limbs(distance));
  for (std::vector<Limb>* secret : {&sum, &distance}) {
    wipe(std::as_writable_bytes(std::span(*secret)));
  }
  return {.odd = odd, .distance = std::move(result)};
}

}  // namespace fhe::gh
