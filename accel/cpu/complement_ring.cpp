// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "accel/cpu/limb_spans.hpp"
#include "accel/cpu/rings.hpp"
#include "libfhe/arith/complement.hpp"

namespace fhe::cpu {

bool ComplementRing::suits(const Integer& modulus) {
  return ComplementReducer::suits(modulus) && bit_length(complement_of(modulus)) <= Fold::kMaxBits;
}

ComplementRing::ComplementRing(BackendPtr backend, const Multiplier& multiplier,
                               const Integer& modulus)
    : TransformRing(std::move(backend), modulus,
                    multiplier.plan(limbs_for_bits(2 * bit_length(modulus)))),
      fold_(bits(), complement_of(modulus), multiplier.kernel()) {}

Integer ComplementRing::reduce(const Integer& x) const {
  const std::size_t length = bit_length(x);
  if (x < 0 || length <= bits() || length > 2 * bits()) return Ring::reduce(x);
  const auto given = limbs_of(x);
  PooledWords copy(given.size());
  std::ranges::copy(given, copy.data());
  return reduce_sum(limbs_in(copy));
}

Integer ComplementRing::reduce_sum(std::span<Limb> x) const {
  backend().counters().count_reduction();
  const std::size_t n = bits();
  for (x = without_leading_zeros(x); length_of(x) > n; x = without_leading_zeros(x)) {
    backend().counters().count_multiplication(x.size() - n / kLimbBits, fold_.factor_limbs());
    fold_.fold(x);
  }
  const auto modulus = limbs_of(this->modulus());
  if (!is_below(x, modulus)) subtract_limbs(x, modulus);
  return from_limbs(x);
}

}  // namespace fhe::cpu
