// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "accel/cpu/schoolbook/digits.hpp"
#include "accel/cpu/schoolbook/fold_kernel.hpp"
#include "accel/cpu/schoolbook/schoolbook.hpp"

namespace fhe::cpu {

namespace {

// From where on the kernel is faster than GMP: below, the 60 ns and more that it takes at least are
// more than GMP needs; and GMP has squares of their own.
struct SchoolbookCosts {
  std::size_t min_limbs;
  std::size_t min_square_limbs;
  std::size_t min_ratio;  // of the lengths
  std::size_t min_limb_products;
};

constexpr SchoolbookCosts schoolbook_costs(Kernel kernel) {
  if (kernel == Kernel::ifma) return {4, 48, 1, 256};
  return {8, kMaxSchoolbookLimbs + 1, 2, 1000};
}

}  // namespace

bool schoolbook_pays(Kernel kernel, std::size_t short_limbs, std::size_t long_limbs, bool square) {
  if (fold_digits_of(kernel) == nullptr) return false;
  const SchoolbookCosts costs = schoolbook_costs(kernel);
  return short_limbs >= (square ? costs.min_square_limbs : costs.min_limbs) &&
         short_limbs <= kMaxSchoolbookLimbs && long_limbs >= costs.min_ratio * short_limbs &&
         short_limbs * long_limbs >= costs.min_limb_products;
}

// h r, where h stands above 64 r.size() zeros: the fold of h 2^n + 0.
Integer schoolbook_product(Kernel kernel, const Integer& longer, const Integer& shorter) {
  const FoldDigits fold_digits = fold_digits_of(kernel);
  if (fold_digits == nullptr)
    throw std::logic_error("this kernel has no products by the schoolbook");
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

}  // namespace fhe::cpu
