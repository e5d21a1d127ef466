// SPDX-License-Identifier: Apache-2.0
// The rounds of AES on vectors of four blocks, for source files with vector flags (see
// simd/portable.hpp).
#pragma once

#include <immintrin.h>

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/streams/aes_lanes.hpp"
#include "accel/cpu/streams/digit_steps.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kRounds = 10;

struct RoundKeys {
  Vec keys[kRounds + 1];
};

[[gnu::always_inline]] inline RoundKeys load_keys(const AesKey& key) {
  RoundKeys result;
  each<kRounds + 1>([&](auto r) __attribute__((always_inline)) {
    const auto* round = reinterpret_cast<const __m128i*>(key.rounds[r]);
    result.keys[r] = _mm512_broadcast_i32x4(_mm_load_si128(round));
  });
  return result;
}

// Counters of the even lanes (0, 2, 4, 6) and of the odd ones: a lane is 128 bits wide, its first
// word the high half and its second the low half of the counter, as numbers. With lanes split that
// way, unpacking the two results puts the words of lane l into lane l of a row.
struct Counters {
  Vec even;
  Vec odd;
};

[[gnu::always_inline]] inline Counters start_counters(const LaneStart& start) {
  constexpr Mask kLowHalves = 0xAA;
  const Vec even_lanes = _mm512_set_epi64(6, 6, 4, 4, 2, 2, 0, 0);
  const Vec step = _mm512_mask_blend_epi64(kLowHalves, all(start.high_step), all(start.block_step));
  const Vec first = _mm512_mask_blend_epi64(kLowHalves, all(start.high), all(start.block));
  const Vec even = add(first, low_product(even_lanes, step));
  return {even, add(even, step)};
}

// Counter blocks have their most significant byte first.
[[gnu::always_inline]] inline Vec to_block_order(Vec counters) {
  const __m128i reversed = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  return _mm512_shuffle_epi8(counters, _mm512_broadcast_i32x4(reversed));
}

// Rounds 1 to 10 on kVectors states to which the first round key has been added.
template <std::size_t kVectors>
[[gnu::always_inline]] inline void encrypt(Vec (&states)[kVectors], const RoundKeys& key) {
  each<kRounds - 1>([&](auto r) __attribute__((always_inline)) {
    each<kVectors>([&](auto v) __attribute__((always_inline)) {
      Vec& state = states[v];
      state = _mm512_aesenc_epi128(state, key.keys[r + 1]);
    });
  });
  each<kVectors>([&](auto v) __attribute__((always_inline)) {
    Vec& state = states[v];
    state = _mm512_aesenclast_epi128(state, key.keys[kRounds]);
  });
}

// The next kBlocks blocks of every lane, as 2 * kBlocks rows.
template <std::size_t kBlocks>
[[gnu::always_inline]] inline void next_blocks(Counters& counters, const RoundKeys& key,
                                               Vec* words) {
  const Vec one = _mm512_set_epi64(1, 0, 1, 0, 1, 0, 1, 0);
  Vec states[2 * kBlocks];
  each<kBlocks>([&](auto b) __attribute__((always_inline)) {
    states[2 * b] = bit_xor(to_block_order(counters.even), key.keys[0]);
    states[2 * b + 1] = bit_xor(to_block_order(counters.odd), key.keys[0]);
    counters.even = add(counters.even, one);
    counters.odd = add(counters.odd, one);
  });
  encrypt(states, key);
  each<kBlocks>([&](auto b) __attribute__((always_inline)) {
    words[2 * b] = even_pairs(states[2 * b], states[2 * b + 1]);
    words[2 * b + 1] = odd_pairs(states[2 * b], states[2 * b + 1]);
  });
}

// The 26 rows of one step over digits.
[[gnu::always_inline]] inline void next_step(Counters& counters, const RoundKeys& key,
                                             Vec (&words)[kStepWords]) {
  next_blocks<4>(counters, key, words);
  next_blocks<4>(counters, key, words + 8);
  next_blocks<5>(counters, key, words + 16);
}

}  // namespace

}  // namespace fhe::cpu
