// SPDX-License-Identifier: Apache-2.0
// The words of avx512.hpp, and those of AVX-512 IFMA and VBMI2. See portable.hpp.
#pragma once

#include <immintrin.h>

#include "accel/cpu/simd/avx512.hpp"

namespace fhe::cpu {

namespace {

[[gnu::always_inline]] inline Vec add_low(Vec sum, Vec x, Vec y) {
  return _mm512_madd52lo_epu64(sum, x, y);
}
[[gnu::always_inline]] inline Vec add_high(Vec sum, Vec x, Vec y) {
  return _mm512_madd52hi_epu64(sum, x, y);
}
template <int kBits>
[[gnu::always_inline]] inline Vec shift_right_pair(Vec low, Vec high) {
  return _mm512_shrdi_epi64(low, high, kBits);
}

[[gnu::always_inline]] inline Vec wrap_once(Vec x, Vec bound) {
  return _mm512_min_epu64(x, sub(x, bound));
}

}  // namespace

}  // namespace fhe::cpu
