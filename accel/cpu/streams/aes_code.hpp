// SPDX-License-Identifier: Apache-2.0
// The key schedule and the generator of aes_lanes.hpp, for source files with vector flags (see
// simd/portable.hpp).
#pragma once

#include "accel/cpu/streams/aes_rounds.hpp"

namespace fhe::cpu {

namespace {

// The next round key of the AES-128 key schedule (FIPS 197), from the last one.
template <int kRoundConstant>
[[gnu::always_inline]] inline __m128i next_round_key(__m128i key) {
  const __m128i word = _mm_shuffle_epi32(_mm_aeskeygenassist_si128(key, kRoundConstant), 0xFF);
  key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
  key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
  return _mm_xor_si128(key, word);
}

void expand_key(const void* seed, AesKey& key) {
  __m128i round = _mm_loadu_si128(static_cast<const __m128i*>(seed));
  const auto store = [&key, &round](int number) {
    _mm_store_si128(reinterpret_cast<__m128i*>(key.rounds[number]), round);
  };
  store(0);
  round = next_round_key<0x01>(round);
  store(1);
  round = next_round_key<0x02>(round);
  store(2);
  round = next_round_key<0x04>(round);
  store(3);
  round = next_round_key<0x08>(round);
  store(4);
  round = next_round_key<0x10>(round);
  store(5);
  round = next_round_key<0x20>(round);
  store(6);
  round = next_round_key<0x40>(round);
  store(7);
  round = next_round_key<0x80>(round);
  store(8);
  round = next_round_key<0x1B>(round);
  store(9);
  round = next_round_key<0x36>(round);
  store(10);
}

void generate_lanes(const AesKey& key, const LaneStart& start, std::size_t blocks,
                    std::uint64_t* words) {
  const RoundKeys keys = load_keys(key);
  for (std::size_t part = 0; part < kParts; ++part) {
    Counters counters = start_counters(start, part);
    Vec* rows = reinterpret_cast<Vec*>(words) + part;
    std::size_t left = blocks;
    for (; left >= kAesBlocks; left -= kAesBlocks, rows += 2 * kAesBlocks * kParts) {
      next_blocks<kAesBlocks, kParts>(counters, keys, rows);
    }
    for (; left > 0; --left, rows += 2 * kParts) next_blocks<1, kParts>(counters, keys, rows);
  }
}

}  // namespace

}  // namespace fhe::cpu
