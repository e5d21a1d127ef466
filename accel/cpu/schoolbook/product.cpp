// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/schoolbook/product.hpp"

#include <algorithm>
#include <stdexcept>

#include "accel/cpu/schoolbook/digits.hpp"
#include "accel/cpu/schoolbook/fold_kernel.hpp"

namespace fhe::cpu {

bool schoolbook_pays(Kernel kernel, std::size_t short_limbs, std::size_t long_limbs, bool square) {
  // Below, the 60 ns that the kernel takes at least are more than GMP needs; and GMP has squares of
  // their own.
  constexpr std::size_t kMinLimbs = 4;
  constexpr std::size_t kMinLimbProducts = 256;
  constexpr std::size_t kMinSquareLimbs = 48;
  return kernel == Kernel::ifma && short_limbs >= (square ? kMinSquareLimbs : kMinLimbs) &&
         short_limbs <= kMaxSchoolbookLimbs && short_limbs * long_limbs >= kMinLimbProducts;
}

#ifdef FHE_FOLD_KERNEL

// h r, where h stands above 64 r.size() zeros: the fold of h 2^n + 0.
Integer schoolbook_product(const Integer& longer, const Integer& shorter) {
  const auto h = limbs_of(longer);
  const auto r = limbs_of(shorter);
  std::uint64_t digits[digits_for(kMaxSchoolbookLimbs)];
  alignas(64) std::uint64_t tile[fold_tile_words(digits_for(kMaxSchoolbookLimbs))];
  Integer product;
  const std::size_t size = h.size() + r.size();
  const std::span<Limb> words(mpz_limbs_write(product.get_mpz_t(), static_cast<mp_size_t>(size)),
                              size);
  std::ranges::fill(words.first(r.size()), Limb{0});
  std::ranges::copy(h, words.begin() + static_cast<std::ptrdiff_t>(r.size()));
  fold_digits(words, r.size() * kLimbBits, cut_into_digits(r, digits), tile);
  mpz_limbs_finish(product.get_mpz_t(), static_cast<mp_size_t>(size));
  return product;
}

#else

Integer schoolbook_product(const Integer&, const Integer&) {
  throw std::logic_error("this build has no kernel for products by the schoolbook");
}

#endif

}  // namespace fhe::cpu
