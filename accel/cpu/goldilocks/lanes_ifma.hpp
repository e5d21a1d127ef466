// SPDX-License-Identifier: Apache-2.0
// Eight residues at a time with AVX-512 IFMA: products of the passes in units of 2^52. See
// lanes_portable.hpp.
#pragma once

#include <cstdint>

#include "accel/cpu/simd/ifma.hpp"
// in these words:
#include "accel/cpu/goldilocks/half_products.hpp"
#include "accel/cpu/goldilocks/residues.hpp"

namespace fhe::cpu::goldilocks {

namespace {

inline constexpr int kProductUnit = 52;

// w = its low 52 bits, all that a product reads of it, + 2^52 high.
struct Factor {
  Vec w;
  Vec high;
};

[[gnu::always_inline]] inline Factor load_factor(const std::uint64_t* from) {
  const Vec w = load(from);
  return {w, shift_right<kProductUnit>(w)};
}
[[gnu::always_inline]] inline Factor broadcast_factor(const std::uint64_t* from) {
  return {all(*from), all(*from >> kProductUnit)};
}

// With x = x0 + 2^52 x1: seven halves of the four products, summed up in the products.
[[gnu::always_inline]] inline Product full_product(Vec x, Factor factor) {
  const Vec x_high = shift_right<kProductUnit>(x);
  const Vec low = add_low(zero(), x, factor.w);
  Vec middle = add_high(zero(), x, factor.w);
  Vec high = add_high(zero(), x, factor.high);
  middle = add_low(middle, x, factor.high);
  high = add_low(high, x_high, factor.high);
  middle = add_low(middle, x_high, factor.w);
  high = add_high(high, x_high, factor.w);
  return {low, middle, high};
}
[[gnu::always_inline]] inline Vec multiply_mod(Vec x, Factor factor) {
  Product product = half_products(x, factor.w, upper(factor.w));
  product.low = low_product(x, factor.w);
  return reduced(product);
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
