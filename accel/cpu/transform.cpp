// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/transform.hpp"

namespace fhe::cpu {

namespace {

// The integer whose limbs, as many as the plan has, `write` fills in.
template <class Write>
Integer written(const TransformPlan& plan, const Write& write) {
  Integer result;
  const auto limbs = static_cast<mp_size_t>(plan.limbs());
  write(std::span<Limb>(mpz_limbs_write(result.get_mpz_t(), limbs), plan.limbs()));
  mpz_limbs_finish(result.get_mpz_t(), limbs);
  return result;
}

}  // namespace

void TransformPlan::multiply(Spectrum& product, std::span<const Limb> x, const Spectrum& y) const {
  product = forward(x);
  multiply(product, product, y);
}

void TransformPlan::add_product(Spectrum& sum, std::span<const Limb> x, const Spectrum& y) const {
  add_product(sum, forward(x), y);
}

Integer inverse_integer(const TransformPlan& plan, Spectrum& spectrum) {
  return written(plan, [&](std::span<Limb> out) { plan.inverse(spectrum, out); });
}

Integer product_integer(const TransformPlan& plan, const Integer& x, const Integer& y) {
  return written(plan, [&](std::span<Limb> out) { plan.product(limbs_of(x), limbs_of(y), out); });
}

}  // namespace fhe::cpu
