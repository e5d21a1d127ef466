// SPDX-License-Identifier: Apache-2.0
// The generator on vectors of blocks, one part of a row at a time, for source files with vector
// flags (see simd/portable.hpp).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/streams/row_parts.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kRounds = 10;

// Blocks of every lane that are under way at a time: two vectors for each.
constexpr std::size_t kAesBlocks = kStatesAtOnce / 2;

struct RoundKeys {
  Vec first;
  AesRoundKey keys[kRounds + 1];  // from 1 on
};

[[gnu::always_inline]] inline RoundKeys load_keys(const AesKey& key) {
  RoundKeys result;
  result.first = alternate(all(key.rounds[0][0]), all(key.rounds[0][1]));
  each<kRounds>([&](auto r) __attribute__((always_inline)) {
    result.keys[r + 1] = load_round_key(key.rounds[r + 1]);
  });
  return result;
}

// Counters of the even lanes (0, 2, ...) and of the odd ones: a lane is 128 bits wide, its first
// word the high half and its second the low half of the counter, as numbers. With lanes split that
// way, unpacking the two results puts the words of lane l into lane l of a row.
struct Counters {
  Vec even;
  Vec odd;
};

alignas(64) constexpr std::uint64_t kEvenLanes[kLanes] = {0, 0, 2, 2, 4, 4, 6, 6};

[[gnu::always_inline]] inline Counters start_counters(const LaneStart& start, std::size_t part) {
  const Vec step = alternate(all(start.high_step), all(start.block_step));
  const Vec first = alternate(all(start.high), all(start.block));
  const Vec even = add(first, low_product(load(kEvenLanes + part * kWidth), step));
  return {even, add(even, step)};
}

// The state before the first round. Counter blocks have their most significant byte first.
[[gnu::always_inline]] inline AesState first_state(Vec counters, const RoundKeys& key) {
  return to_state(bit_xor(swap_bytes(counters), key.first));
}

// Rounds 1 to 10 on states to which the first round key has been added.
template <std::size_t kStates>
[[gnu::always_inline]] inline void encrypt(AesState (&states)[kStates], const RoundKeys& key) {
  each<kRounds - 1>([&](auto r) __attribute__((always_inline)) {
    each<kStates>([&](auto v) __attribute__((always_inline)) {
      states[v] = aes_round(states[v], key.keys[r + 1]);
    });
  });
  each<kStates>([&](auto v) __attribute__((always_inline)) {
    states[v] = aes_last_round(states[v], key.keys[kRounds]);
  });
}

// Rows of words from states of the even and the odd lanes, by turns; every kStep-th vector.
template <std::size_t kStep, std::size_t kStates>
[[gnu::always_inline]] inline void unpack_states(const AesState (&states)[kStates], Vec* words) {
  each<kStates / 2>([&](auto b) __attribute__((always_inline)) {
    const Vec even = to_words(states[2 * b]);
    const Vec odd = to_words(states[2 * b + 1]);
    words[2 * b * kStep] = even_pairs(even, odd);
    words[(2 * b + 1) * kStep] = odd_pairs(even, odd);
  });
}

// The next kBlocks blocks of every lane, as 2 * kBlocks rows.
template <std::size_t kBlocks, std::size_t kStep = 1>
[[gnu::always_inline]] inline void next_blocks(Counters& counters, const RoundKeys& key,
                                               Vec* words) {
  const Vec one = alternate(zero(), all(1));
  AesState states[2 * kBlocks];
  each<kBlocks>([&](auto b) __attribute__((always_inline)) {
    states[2 * b] = first_state(counters.even, key);
    states[2 * b + 1] = first_state(counters.odd, key);
    counters.even = add(counters.even, one);
    counters.odd = add(counters.odd, one);
  });
  encrypt(states, key);
  unpack_states<kStep>(states, words);
}

// The same for more blocks than are to be under way at a time.
template <std::size_t kBlocks>
[[gnu::always_inline]] inline void next_rows(Counters& counters, const RoundKeys& key, Vec* words) {
  constexpr std::size_t kRuns = kBlocks < 2 * kAesBlocks ? 0 : kBlocks / kAesBlocks - 1;
  for (std::size_t run = 0; run < kRuns; ++run) {
    next_blocks<kAesBlocks>(counters, key, words + 2 * run * kAesBlocks);
  }
  next_blocks<kBlocks - kRuns * kAesBlocks>(counters, key, words + 2 * kRuns * kAesBlocks);
}

// words &= rows of a mask, of one part; null leaves the words alone.
template <std::size_t kRows>
[[gnu::always_inline]] inline void mask_rows(Vec (&words)[kRows], const std::uint64_t* mask,
                                             std::size_t part) {
  if (mask == nullptr) return;
  each<kRows>([&](auto row) __attribute__((always_inline)) {
    words[row] = bit_and(words[row], load(mask + row * kLanes + part * kWidth));
  });
}

// The functions of GeneratorKernel.

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
