// SPDX-License-Identifier: Apache-2.0
// The rounds of AES with AES-NI, one block at a time. See portable.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/word_aes.hpp"

namespace fhe::cpu {

namespace {

struct AesState {
  __m128i blocks[kWidth / 2];
};
using AesRoundKey = __m128i;

inline constexpr std::size_t kStatesAtOnce = 16 / kWidth;

[[gnu::always_inline]] inline AesRoundKey load_round_key(const std::uint64_t* from) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(from));
}
[[gnu::always_inline]] inline AesState to_state(Vec x) {
  AesState state;
  each<kWidth / 2>([&](auto b)
                       __attribute__((always_inline)) { state.blocks[b] = block_of<b>(x); });
  return state;
}
[[gnu::always_inline]] inline Vec to_words(const AesState& state) {
  return from_blocks(state.blocks);
}
[[gnu::always_inline]] inline AesState aes_round(AesState state, AesRoundKey key) {
  each<kWidth / 2>([&](auto b) __attribute__((always_inline)) {
    state.blocks[b] = _mm_aesenc_si128(state.blocks[b], key);
  });
  return state;
}
[[gnu::always_inline]] inline AesState aes_last_round(AesState state, AesRoundKey key) {
  each<kWidth / 2>([&](auto b) __attribute__((always_inline)) {
    state.blocks[b] = _mm_aesenclast_si128(state.blocks[b], key);
  });
  return state;
}

}  // namespace

}  // namespace fhe::cpu
