// SPDX-License-Identifier: Apache-2.0
// The rounds of AES with VAES, all blocks of a vector of avx512.hpp at a time. See portable.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "accel/cpu/simd/word_aes.hpp"

namespace fhe::cpu {

namespace {

using AesState = __m512i;
using AesRoundKey = __m512i;

inline constexpr std::size_t kStatesAtOnce = 8;

[[gnu::always_inline]] inline AesRoundKey load_round_key(const std::uint64_t* from) {
  return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
}
[[gnu::always_inline]] inline AesState to_state(Vec x) {
  return x;
}
[[gnu::always_inline]] inline Vec to_words(AesState state) {
  return state;
}
[[gnu::always_inline]] inline AesState aes_round(AesState state, AesRoundKey key) {
  return _mm512_aesenc_epi128(state, key);
}
[[gnu::always_inline]] inline AesState aes_last_round(AesState state, AesRoundKey key) {
  return _mm512_aesenclast_epi128(state, key);
}

}  // namespace

}  // namespace fhe::cpu
