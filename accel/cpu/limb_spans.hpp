// SPDX-License-Identifier: Apache-2.0
// Numbers as spans of limbs, where an Integer would mean a copy.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

#include "accel/cpu/pooled_words.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

// Memory for an integer.
inline std::span<Limb> limbs_in(PooledWords& words) {
  return {words.data(), words.size()};
}

inline mp_size_t size_of(std::span<const Limb> x) {
  return static_cast<mp_size_t>(x.size());
}

// x < y, of any lengths.
inline bool is_below(std::span<const Limb> x, std::span<const Limb> y) {
  const std::size_t common = std::min(x.size(), y.size());
  const auto not_zero = [](Limb limb) { return limb != 0; };
  if (std::ranges::any_of(x.subspan(common), not_zero)) return false;
  if (std::ranges::any_of(y.subspan(common), not_zero)) return true;
  return mpn_cmp(x.data(), y.data(), static_cast<mp_size_t>(common)) < 0;
}

// x -= y. Requires 0 < y <= x.
inline void subtract_limbs(std::span<Limb> x, std::span<const Limb> y) {
  const std::size_t common = std::min(x.size(), y.size());
  mpn_sub(x.data(), x.data(), size_of(x), y.data(), static_cast<mp_size_t>(common));
}

// The bits of x, whose last limb is not zero.
inline std::size_t length_of(std::span<const Limb> x) {
  return x.empty() ? 0
                   : x.size() * kLimbBits - static_cast<std::size_t>(std::countl_zero(x.back()));
}

// x without its leading zeros.
inline std::span<Limb> without_leading_zeros(std::span<Limb> x) {
  while (!x.empty() && x.back() == 0) x = x.first(x.size() - 1);
  return x;
}

}  // namespace fhe::cpu
