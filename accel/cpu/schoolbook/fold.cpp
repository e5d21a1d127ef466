// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "accel/cpu/limb_spans.hpp"
#include "accel/cpu/pooled_words.hpp"
#include "accel/cpu/schoolbook/digits.hpp"
#include "accel/cpu/schoolbook/fold_kernel.hpp"
#include "accel/cpu/schoolbook/schoolbook.hpp"

namespace fhe::cpu {

namespace {

// x mod 2^bits stays; returns what stood above it, without leading zeros, in `memory`.
std::span<const Limb> cut_off(std::span<Limb> x, std::size_t bits, PooledWords& memory) {
  const std::size_t whole = bits / kLimbBits;
  const auto shift = static_cast<unsigned>(bits % kLimbBits);
  const auto above = x.subspan(whole);
  const auto high = limbs_in(memory);
  if (shift == 0) {
    std::ranges::copy(above, high.begin());
  } else {
    mpn_rshift(high.data(), above.data(), size_of(above), shift);
  }
  const Limb kept = above[0] & ((Limb{1} << shift) - 1);
  std::ranges::fill(above, Limb{0});
  above[0] = kept;
  return without_leading_zeros(high);
}

// The same by GMP.
void fold_limbs(std::span<Limb> x, std::size_t bits, std::span<const Limb> r) {
  PooledWords memory(x.size() - bits / kLimbBits);
  const auto high = cut_off(x, bits, memory);
  if (high.empty()) return;
  PooledWords words(high.size() + r.size());
  const auto product = limbs_in(words);
  const auto& [longer, shorter] = high.size() >= r.size() ? std::pair(high, r) : std::pair(r, high);
  mpn_mul(product.data(), longer.data(), size_of(longer), shorter.data(), size_of(shorter));
  add_into(x, without_leading_zeros(product));
}

// From so many limbs above n on the vector kernel is faster than GMP.
constexpr std::size_t kMinVectorLimbs = 64;

}  // namespace

FoldDigits fold_digits_of([[maybe_unused]] Kernel kernel) {
#ifdef FHE_FOLD_KERNEL
  if (kernel == Kernel::ifma) return ifma_fold_digits;
#endif
#ifdef FHE_AVXIFMA
  if (kernel == Kernel::avxifma) return avxifma_fold_digits;
#endif
  return nullptr;
}

Fold::Fold(std::size_t n, const Integer& r, Kernel kernel)
    : bits_(n), fold_digits_(fold_digits_of(kernel)) {
  const auto limbs = limbs_of(r);
  limbs_.assign(limbs.begin(), limbs.end());
  if (fold_digits_ != nullptr) {
    digits_.resize(digits_for(limbs.size()));
    digits_.resize(cut_into_digits(limbs, digits_).size());
  }
}

void Fold::fold(std::span<Limb> x) const {
  if (x.size() * kLimbBits <= bits_) return;
  if (fold_digits_ != nullptr && x.size() >= bits_ / kLimbBits + kMinVectorLimbs) {
    PooledWords tile(fold_tile_words(digits_.size()));
    return fold_digits_(x, bits_, digits_, tile.data());
  }
  fold_limbs(x, bits_, limbs_);
}

}  // namespace fhe::cpu
