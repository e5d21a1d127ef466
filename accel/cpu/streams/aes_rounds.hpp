// SPDX-License-Identifier: Apache-2.0
// The rounds of AES on vectors of four blocks, for source files with vector flags (see simd.hpp).
#pragma once

#include "accel/cpu/streams/aes_lanes.hpp"
#include "accel/cpu/streams/simd.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kRounds = 10;

struct RoundKeys {
  Vec keys[kRounds + 1];
};

[[gnu::always_inline]] inline RoundKeys load_keys(const AesKey& key) {
  RoundKeys result;
  unrolled<kRounds + 1>([&](auto r) UNROLLED {
    const auto* round = reinterpret_cast<const __m128i*>(key.rounds[decltype(r)::value]);
    result.keys[decltype(r)::value] = _mm512_broadcast_i32x4(_mm_load_si128(round));
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
  constexpr __mmask8 kLowHalves = 0xAA;
  const Vec even_lanes = _mm512_set_epi64(6, 6, 4, 4, 2, 2, 0, 0);
  const Vec step =
      _mm512_mask_blend_epi64(kLowHalves, all_lanes(start.high_step), all_lanes(start.block_step));
  const Vec first =
      _mm512_mask_blend_epi64(kLowHalves, all_lanes(start.high), all_lanes(start.block));
  const Vec even = _mm512_add_epi64(first, _mm512_mullo_epi64(even_lanes, step));
  return {even, _mm512_add_epi64(even, step)};
}

// Counter blocks have their most significant byte first.
[[gnu::always_inline]] inline Vec to_block_order(Vec counters) {
  const __m128i reversed = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  return _mm512_shuffle_epi8(counters, _mm512_broadcast_i32x4(reversed));
}

// Rounds 1 to 10 on kVectors states to which the first round key has been added.
template <std::size_t kVectors>
[[gnu::always_inline]] inline void encrypt(Vec (&states)[kVectors], const RoundKeys& key) {
  unrolled<kRounds - 1>([&](auto r) UNROLLED {
    unrolled<kVectors>([&](auto v) UNROLLED {
      Vec& state = states[decltype(v)::value];
      state = _mm512_aesenc_epi128(state, key.keys[decltype(r)::value + 1]);
    });
  });
  unrolled<kVectors>([&](auto v) UNROLLED {
    Vec& state = states[decltype(v)::value];
    state = _mm512_aesenclast_epi128(state, key.keys[kRounds]);
  });
}

// The next kBlocks blocks of every lane, as 2 * kBlocks rows.
template <std::size_t kBlocks>
[[gnu::always_inline]] inline void next_blocks(Counters& counters, const RoundKeys& key,
                                               Vec* words) {
  const Vec one = _mm512_set_epi64(1, 0, 1, 0, 1, 0, 1, 0);
  Vec states[2 * kBlocks];
  unrolled<kBlocks>([&](auto b) UNROLLED {
    constexpr std::size_t kBlock = decltype(b)::value;
    states[2 * kBlock] = _mm512_xor_si512(to_block_order(counters.even), key.keys[0]);
    states[2 * kBlock + 1] = _mm512_xor_si512(to_block_order(counters.odd), key.keys[0]);
    counters.even = _mm512_add_epi64(counters.even, one);
    counters.odd = _mm512_add_epi64(counters.odd, one);
  });
  encrypt(states, key);
  unrolled<kBlocks>([&](auto b) UNROLLED {
    constexpr std::size_t kBlock = decltype(b)::value;
    words[2 * kBlock] = _mm512_unpacklo_epi64(states[2 * kBlock], states[2 * kBlock + 1]);
    words[2 * kBlock + 1] = _mm512_unpackhi_epi64(states[2 * kBlock], states[2 * kBlock + 1]);
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
