// SPDX-License-Identifier: Apache-2.0
// Four residues at a time with AVX2. See lanes_portable.hpp.
#pragma once

#include <immintrin.h>

#include "accel/cpu/simd/avx2.hpp"
// in these words:
#include "accel/cpu/goldilocks/half_factors.hpp"
#include "accel/cpu/goldilocks/half_products.hpp"
#include "accel/cpu/goldilocks/residues.hpp"

namespace fhe::cpu::goldilocks {

namespace {

[[gnu::always_inline]] inline Product full_product(Vec x, Factor factor) {
  Product product = half_products(x, factor.w, factor.high);
  product.low = _mm256_blend_epi32(product.low, shift_left<32>(product.middle), 0xaa);
  return product;
}
[[gnu::always_inline]] inline Vec multiply_mod(Vec x, Factor factor) {
  return reduced(full_product(x, factor));
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
