// SPDX-License-Identifier: Apache-2.0
// Eight residues at a time with AVX-512. See lanes_portable.hpp.
#pragma once

#include "accel/cpu/simd/avx512.hpp"
// in these words:
#include "accel/cpu/goldilocks/half_factors.hpp"
#include "accel/cpu/goldilocks/half_products.hpp"
#include "accel/cpu/goldilocks/residues.hpp"

namespace fhe::cpu::goldilocks {

namespace {

[[gnu::always_inline]] inline Product full_product(Vec x, Factor factor) {
  Product product = half_products(x, factor.w, factor.high);
  product.low = low_product(x, factor.w);
  return product;
}
[[gnu::always_inline]] inline Vec multiply_mod(Vec x, Factor factor) {
  return reduced(full_product(x, factor));
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
