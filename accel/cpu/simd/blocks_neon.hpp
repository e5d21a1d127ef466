// SPDX-License-Identifier: Apache-2.0
// The rounds of AES with the cryptographic extension of AArch64, one block at a time. See
// portable.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <arm_neon.h>

#include "accel/cpu/simd/neon.hpp"

namespace fhe::cpu {

namespace {

struct AesState {
  uint8x16_t low;
  uint8x16_t high;
};
using AesRoundKey = uint8x16_t;

inline constexpr std::size_t kStatesAtOnce = 4;

[[gnu::always_inline]] inline AesRoundKey load_round_key(const std::uint64_t* from) {
  return vreinterpretq_u8_u64(vld1q_u64(from));
}
[[gnu::always_inline]] inline AesState to_state(Vec x) {
  return {vreinterpretq_u8_u64(x.low), vreinterpretq_u8_u64(x.high)};
}
[[gnu::always_inline]] inline Vec to_words(const AesState& state) {
  return {vreinterpretq_u64_u8(state.low), vreinterpretq_u64_u8(state.high)};
}

// The bytes of a block substituted and its rows shifted. AESE adds a key before that: none here,
// where keys are added after it.
[[gnu::always_inline]] inline uint8x16_t substitute(uint8x16_t block) {
  return vaeseq_u8(block, vdupq_n_u8(0));
}
[[gnu::always_inline]] inline AesState aes_round(AesState state, AesRoundKey key) {
  return {veorq_u8(vaesmcq_u8(substitute(state.low)), key),
          veorq_u8(vaesmcq_u8(substitute(state.high)), key)};
}
[[gnu::always_inline]] inline AesState aes_last_round(AesState state, AesRoundKey key) {
  return {veorq_u8(substitute(state.low), key), veorq_u8(substitute(state.high), key)};
}

// In a block whose columns are all the same, shifting rows changes nothing.
[[gnu::always_inline]] inline std::uint32_t substitute_word(std::uint32_t word) {
  return vgetq_lane_u32(vreinterpretq_u32_u8(substitute(vreinterpretq_u8_u32(vdupq_n_u32(word)))),
                        0);
}

}  // namespace

}  // namespace fhe::cpu
