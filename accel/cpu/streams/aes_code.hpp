// SPDX-License-Identifier: Apache-2.0
// The key schedule and the generator of aes_lanes.hpp, for source files with vector flags (see
// simd/portable.hpp).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "accel/cpu/streams/aes_rounds.hpp"

namespace fhe::cpu {

namespace {

// The key schedule of AES-128 (FIPS 197, section 5.2) on words whose first byte is the lowest.
void expand_key(const void* seed, AesKey& key) {
  constexpr std::size_t kWords = sizeof(AesKey) / sizeof(std::uint32_t);
  constexpr std::size_t kKeyWords = 4;
  constexpr std::uint32_t kRoundConstants[kRounds] = {0x01, 0x02, 0x04, 0x08, 0x10,
                                                      0x20, 0x40, 0x80, 0x1B, 0x36};
  std::uint32_t words[kWords];
  std::memcpy(words, seed, kKeyWords * sizeof *words);
  for (std::size_t i = kKeyWords; i < kWords; ++i) {
    std::uint32_t last = words[i - 1];
    if (i % kKeyWords == 0) {
      last = substitute_word(std::rotr(last, 8)) ^ kRoundConstants[i / kKeyWords - 1];
    }
    words[i] = words[i - kKeyWords] ^ last;
  }
  std::memcpy(key.rounds, words, sizeof words);
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
