// SPDX-License-Identifier: Apache-2.0
// The words of this room in C++ alone, for vectors of one lane. Each head of the room gives the
// same words for its instruction set: portable, avx2, avx512, ifma, which is avx512 and more,
// avxifma, which is avx2 and more, and neon.
// A source is compiled for one set, and includes the head of it. Headers that are written for
// every set (../goldilocks) include none: the source does so before them.
//
// Everything has internal linkage: no function that is compiled for newer instructions is ever
// shared with code that runs on other processors.
//
//   Vec               kWidth lanes of 64 bits, unsigned unless a word says otherwise
//   load, store       kWidth words, aligned to as many
//   all(x), zero()    the same in every lane
//   add, sub          modulo 2^64
//   bit_and
//   shift_left<k>, shift_right<k>, shift_right_signed<k>
//   multiply_halves   the product of the lower halves of the lanes
//   Mask              yes or no for each lane
//   less(x, y)        where x < y
//   all_less(x, y)    whether x < y in every lane
//   add_where(mask, x, y)
//                     x + y there, x elsewhere
//   transpose(rows)   kWidth rows become kWidth columns
//
// More words of avx2, avx512 and neon:
//
//   bit_or, bit_xor
//   shift_left(x, bits), shift_right(x, bits)
//                     by one number of bits, or by one for each lane, up to 127; 0 from 64 on
//   upper(x)          the upper half of every lane in both of its halves
//   all_halves(x)     the same in both halves of every lane
//
//   load_unaligned, store_unaligned
//   load_where(mask, from)
//                     unaligned words there, 0 elsewhere
//   prefetch          has the words at an address at hand by and by
//   where(mask, x)    x there, 0 elsewhere
//   less_signed(x, y), equal(x, y)
//                     where x < y as signed numbers; where x = y
//   increment_where(mask, x)
//                     x + 1 there, x elsewhere
//   lanes_of(mask), mask_of(lanes)
//                     a mask as a number, bit l for lane l, and back
//   mask_of_bytes(byte)
//                     the mask of all lanes from 0xff, and of none from 0
//   low_product       the product modulo 2^64
//   even_pairs(x, y)  the even lanes of both by turns: x[0], y[0], x[2], y[2], ...
//   odd_pairs(x, y)   x[1], y[1], x[3], y[3], ...
//   alternate(x, y)   the even lanes of x and the odd ones of y: x[0], y[1], x[2], ...
//   swap_bytes        the bytes of each lane in reverse
//   block_of<k>(x), from_blocks(blocks)
//                     lanes 2 k and 2 k + 1 as a block of 128 bits, and back from kWidth / 2
//                     blocks; not of neon
//   lanes_up<k>(x, below)
//                     x moved up by k lanes; its lowest lanes are the highest k of `below`. With
//                     avx2 and neon, k = 1 or 2
//
// of avx512:
//
//   store_where(mask, to, x)
//                     x there, memory as it is elsewhere; unaligned
//   permute(x, from)  lane from[l] of x in lane l
//   permute_pair(x, y, from)
//                     the same of the 16 lanes of x and, behind them, y
//
// and of ifma and avxifma, which is avx2 and more:
//
//   add_low(sum, x, y), add_high(sum, x, y)
//                     sum + (x y mod 2^52) and sum + floor(x y / 2^52), where of x and y the low 52
//                     bits count
//   shift_right_pair<k>(low, high)
//                     low + 2^64 high, shifted right; the low 64 bits of it
//   wrap_once(x, bound)
//                     x - bound where x >= bound, x elsewhere, for x < 2 bound < 2^63
//
// reals_avx2.hpp, reals_avx512.hpp and reals_neon.hpp add lanes of floating-point numbers:
//
//   Real              kWidth numbers of double precision
//   load_reals, store_reals
//                     from and to words that hold them, aligned to as many
//   load_reals_unaligned
//   all_reals(x)      the same in every lane
//   to_real(x), to_word(x)
//                     the same bits as the other type
//   add, sub, times
//   multiply_add(x, y, z), multiply_sub(x, y, z), sub_product(z, x, y)
//                     x y + z, x y - z and z - x y, rounded once
//   all_within(x, bound)
//                     whether |x| <= bound in every lane
//   all_whole(x)      whether x is a whole number in every lane
//
// blocks_aes.hpp, for avx2 and avx512, vaes256.hpp, for avx2, vaes512.hpp, for avx512, and
// blocks_neon.hpp, for neon, add the rounds of AES on kWidth / 2 blocks of 128 bits, which are
// pairs of lanes:
//
//   AesState          the blocks
//   AesRoundKey       and what is added to each of them
//   load_round_key    from 16 bytes, aligned to as many
//   to_state(x), to_words(state)
//   aes_round, aes_last_round
//                     of all blocks, the round key after it (FIPS 197)
//   kStatesAtOnce     so many states at once hide the latency of a round
//   substitute_word   the S-box for each byte of 32 bits
//
// An instruction that one source alone needs has no word: it is written there as it is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fhe::cpu {

namespace {

using Vec = std::uint64_t;
using Mask = bool;
inline constexpr std::size_t kWidth = 1;

// Unlike those of vectors these are not always_inline: gcc 12 spills more registers when it has
// them inlined before it does anything else.
inline Vec load(const std::uint64_t* from) {
  return *from;
}
inline void store(std::uint64_t* to, Vec x) {
  *to = x;
}
inline Vec all(std::uint64_t x) {
  return x;
}
inline Vec zero() {
  return 0;
}

inline Vec add(Vec x, Vec y) {
  return x + y;
}
inline Vec sub(Vec x, Vec y) {
  return x - y;
}
inline Vec bit_and(Vec x, Vec y) {
  return x & y;
}
template <int kBits>
inline Vec shift_left(Vec x) {
  return x << kBits;
}
template <int kBits>
inline Vec shift_right(Vec x) {
  return x >> kBits;
}
template <int kBits>
inline Vec shift_right_signed(Vec x) {
  return static_cast<Vec>(static_cast<std::int64_t>(x) >> kBits);
}
inline Vec multiply_halves(Vec x, Vec y) {
  return (x & 0xffffffff) * (y & 0xffffffff);
}

inline Mask less(Vec x, Vec y) {
  return x < y;
}
inline bool all_less(Vec x, Vec y) {
  return x < y;
}
inline Vec add_where(Mask mask, Vec x, Vec y) {
  return x + (mask ? y : 0);
}

inline void transpose(Vec* /*rows*/) {}

}  // namespace

}  // namespace fhe::cpu
