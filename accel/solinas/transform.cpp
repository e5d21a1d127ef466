#include "accel/solinas/transform.hpp"

#include <cstdlib>
#include <new>

namespace fhe::solinas {

namespace {

constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 register

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

Spectrum::Spectrum(std::size_t words) : size_(words) {
  const std::size_t bytes =
      (words * sizeof(std::uint64_t) + kAlignment - 1) / kAlignment * kAlignment;
  words_.reset(static_cast<std::uint64_t*>(std::aligned_alloc(kAlignment, bytes)));
  if (words_ == nullptr && bytes > 0) throw std::bad_alloc();
}

void Spectrum::Free::operator()(std::uint64_t* words) const {
  std::free(words);
}

Integer inverse_integer(const TransformPlan& plan, Spectrum& spectrum) {
  return written(plan, [&](std::span<Limb> out) { plan.inverse(spectrum, out); });
}

Integer product_integer(const TransformPlan& plan, const Integer& x, const Integer& y) {
  return written(plan, [&](std::span<Limb> out) { plan.product(limbs_of(x), limbs_of(y), out); });
}

}  // namespace fhe::solinas
