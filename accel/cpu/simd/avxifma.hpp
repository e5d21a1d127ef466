// SPDX-License-Identifier: Apache-2.0
// The words of avx2.hpp, and those of ifma.hpp with AVX-IFMA: four lanes. See portable.hpp.
//
// gcc 12 has no name for the instructions, and its assembler knows them: with VEX, as processors
// without AVX-512 have them. Where FHE_EVEX_TWIN is defined they are encoded with EVEX instead,
// which AVX-512 IFMA with VL executes: the same operation on the same registers, for tests on
// processors without AVX-IFMA (tests/emulated).
#pragma once

#include <immintrin.h>

#include "accel/cpu/simd/avx2.hpp"

#ifdef FHE_EVEX_TWIN
#define FHE_MADD52_ENCODING "%{evex%} "
#else
#define FHE_MADD52_ENCODING "%{vex%} "
#endif

namespace fhe::cpu {

namespace {

[[gnu::always_inline]] inline Vec add_low(Vec sum, Vec x, Vec y) {
  asm(FHE_MADD52_ENCODING "vpmadd52luq %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
  return sum;
}
[[gnu::always_inline]] inline Vec add_high(Vec sum, Vec x, Vec y) {
  asm(FHE_MADD52_ENCODING "vpmadd52huq %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
  return sum;
}
template <int kBits>
[[gnu::always_inline]] inline Vec shift_right_pair(Vec low, Vec high) {
  return bit_or(shift_right<kBits>(low), shift_left<64 - kBits>(high));
}

[[gnu::always_inline]] inline Vec wrap_once(Vec x, Vec bound) {
  return sub(x, _mm256_andnot_si256(less_signed(x, bound), bound));
}

}  // namespace

}  // namespace fhe::cpu

#undef FHE_MADD52_ENCODING
