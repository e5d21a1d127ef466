// SPDX-License-Identifier: Apache-2.0
// The words of portable.hpp with NEON, which every AArch64 has: four lanes, in two of its registers
// of two lanes. It has twice as many registers as AVX2, so that what is written for the ones fits
// into the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include <arm_neon.h>

namespace fhe::cpu {

namespace {

struct [[gnu::may_alias]] alignas(32) Vec {
  uint64x2_t low;
  uint64x2_t high;
};
using Mask = Vec;  // all ones or all zeros in a lane
inline constexpr std::size_t kWidth = 4;

[[gnu::always_inline]] inline Vec load_unaligned(const std::uint64_t* from) {
  return {vld1q_u64(from), vld1q_u64(from + 2)};
}
[[gnu::always_inline]] inline void store_unaligned(std::uint64_t* to, Vec x) {
  vst1q_u64(to, x.low);
  vst1q_u64(to + 2, x.high);
}
[[gnu::always_inline]] inline Vec load(const std::uint64_t* from) {
  return load_unaligned(from);
}
[[gnu::always_inline]] inline void store(std::uint64_t* to, Vec x) {
  store_unaligned(to, x);
}
[[gnu::always_inline]] inline void prefetch(const std::uint64_t* from) {
  __builtin_prefetch(from);
}
[[gnu::always_inline]] inline Vec all(std::uint64_t x) {
  return {vdupq_n_u64(x), vdupq_n_u64(x)};
}
[[gnu::always_inline]] inline Vec all_halves(std::uint32_t x) {
  const uint64x2_t halves = vreinterpretq_u64_u32(vdupq_n_u32(x));
  return {halves, halves};
}
[[gnu::always_inline]] inline Vec zero() {
  return all(0);
}

[[gnu::always_inline]] inline Vec add(Vec x, Vec y) {
  return {vaddq_u64(x.low, y.low), vaddq_u64(x.high, y.high)};
}
[[gnu::always_inline]] inline Vec sub(Vec x, Vec y) {
  return {vsubq_u64(x.low, y.low), vsubq_u64(x.high, y.high)};
}
[[gnu::always_inline]] inline Vec bit_and(Vec x, Vec y) {
  return {vandq_u64(x.low, y.low), vandq_u64(x.high, y.high)};
}
[[gnu::always_inline]] inline Vec bit_or(Vec x, Vec y) {
  return {vorrq_u64(x.low, y.low), vorrq_u64(x.high, y.high)};
}
[[gnu::always_inline]] inline Vec bit_xor(Vec x, Vec y) {
  return {veorq_u64(x.low, y.low), veorq_u64(x.high, y.high)};
}
template <int kBits>
[[gnu::always_inline]] inline Vec shift_left(Vec x) {
  return {vshlq_n_u64(x.low, kBits), vshlq_n_u64(x.high, kBits)};
}
template <int kBits>
[[gnu::always_inline]] inline Vec shift_right(Vec x) {
  return {vshrq_n_u64(x.low, kBits), vshrq_n_u64(x.high, kBits)};
}
template <int kBits>
[[gnu::always_inline]] inline Vec shift_right_signed(Vec x) {
  const auto shifted = [](uint64x2_t half) __attribute__((always_inline)) {
    return vreinterpretq_u64_s64(vshrq_n_s64(vreinterpretq_s64_u64(half), kBits));
  };
  return {shifted(x.low), shifted(x.high)};
}

// By -127 to 127 bits, those to the right negative; 0 from 64 on in either direction.
[[gnu::always_inline]] inline Vec shift_signed(Vec x, int64x2_t low, int64x2_t high) {
  return {vshlq_u64(x.low, low), vshlq_u64(x.high, high)};
}
[[gnu::always_inline]] inline Vec shift_left(Vec x, unsigned bits) {
  const int64x2_t left = vdupq_n_s64(static_cast<std::int64_t>(bits));
  return shift_signed(x, left, left);
}
[[gnu::always_inline]] inline Vec shift_right(Vec x, unsigned bits) {
  const int64x2_t left = vdupq_n_s64(-static_cast<std::int64_t>(bits));
  return shift_signed(x, left, left);
}
[[gnu::always_inline]] inline Vec shift_left(Vec x, Vec bits) {
  return shift_signed(x, vreinterpretq_s64_u64(bits.low), vreinterpretq_s64_u64(bits.high));
}
[[gnu::always_inline]] inline Vec shift_right(Vec x, Vec bits) {
  return shift_left(x, sub(zero(), bits));
}

// The lower halves of the four lanes.
[[gnu::always_inline]] inline uint32x4_t lower_halves(Vec x) {
  return vuzp1q_u32(vreinterpretq_u32_u64(x.low), vreinterpretq_u32_u64(x.high));
}
[[gnu::always_inline]] inline Vec multiply_halves(Vec x, Vec y) {
  const uint32x4_t a = lower_halves(x);
  const uint32x4_t b = lower_halves(y);
  return {vmull_u32(vget_low_u32(a), vget_low_u32(b)), vmull_high_u32(a, b)};
}
[[gnu::always_inline]] inline Vec low_product(Vec x, Vec y) {  // by halves
  const Vec crossed =
      add(multiply_halves(shift_right<32>(x), y), multiply_halves(x, shift_right<32>(y)));
  return add(multiply_halves(x, y), shift_left<32>(crossed));
}
[[gnu::always_inline]] inline Vec upper(Vec x) {
  const auto upper_of = [](uint64x2_t half) __attribute__((always_inline)) {
    const uint32x4_t halves = vreinterpretq_u32_u64(half);
    return vreinterpretq_u64_u32(vtrn2q_u32(halves, halves));
  };
  return {upper_of(x.low), upper_of(x.high)};
}

[[gnu::always_inline]] inline Mask less_signed(Vec x, Vec y) {
  return {vcltq_s64(vreinterpretq_s64_u64(x.low), vreinterpretq_s64_u64(y.low)),
          vcltq_s64(vreinterpretq_s64_u64(x.high), vreinterpretq_s64_u64(y.high))};
}
[[gnu::always_inline]] inline Mask less(Vec x, Vec y) {
  return {vcltq_u64(x.low, y.low), vcltq_u64(x.high, y.high)};
}
[[gnu::always_inline]] inline Mask equal(Vec x, Vec y) {
  return {vceqq_u64(x.low, y.low), vceqq_u64(x.high, y.high)};
}
[[gnu::always_inline]] inline unsigned lanes_of(Mask mask) {
  constexpr std::uint64_t kBits[kWidth] = {1, 2, 4, 8};
  const Vec bits = bit_and(mask, load_unaligned(kBits));
  return static_cast<unsigned>(vaddvq_u64(vorrq_u64(bits.low, bits.high)));
}
[[gnu::always_inline]] inline Mask mask_of(unsigned lanes) {
  constexpr std::uint64_t kBits[kWidth] = {1, 2, 4, 8};
  const Vec bits = load_unaligned(kBits);
  return equal(bit_and(all(lanes), bits), bits);
}
[[gnu::always_inline]] inline bool all_less(Vec x, Vec y) {
  return lanes_of(less(x, y)) == 0xf;
}
[[gnu::always_inline]] inline Vec add_where(Mask mask, Vec x, Vec y) {
  return add(x, bit_and(mask, y));
}
[[gnu::always_inline]] inline Vec increment_where(Mask mask, Vec x) {
  return sub(x, mask);
}
[[gnu::always_inline]] inline Vec where(Mask mask, Vec x) {
  return bit_and(mask, x);
}
[[gnu::always_inline]] inline Vec load_where(Mask mask, const std::uint64_t* from) {
  const unsigned lanes = lanes_of(mask);
  std::uint64_t words[kWidth];
  for (std::size_t l = 0; l < kWidth; ++l) words[l] = (lanes >> l & 1) != 0 ? from[l] : 0;
  return load_unaligned(words);
}
[[gnu::always_inline]] inline Mask mask_of_bytes(std::uint8_t byte) {
  const uint64x2_t bytes = vreinterpretq_u64_u8(vdupq_n_u8(byte));
  return {bytes, bytes};
}

[[gnu::always_inline]] inline Vec alternate(Vec x, Vec y) {
  return {vcopyq_laneq_u64(x.low, 1, y.low, 1), vcopyq_laneq_u64(x.high, 1, y.high, 1)};
}
[[gnu::always_inline]] inline Vec even_pairs(Vec x, Vec y) {
  return {vzip1q_u64(x.low, y.low), vzip1q_u64(x.high, y.high)};
}
[[gnu::always_inline]] inline Vec odd_pairs(Vec x, Vec y) {
  return {vzip2q_u64(x.low, y.low), vzip2q_u64(x.high, y.high)};
}
[[gnu::always_inline]] inline Vec swap_bytes(Vec x) {
  const auto swapped = [](uint64x2_t half) __attribute__((always_inline)) {
    return vreinterpretq_u64_u8(vrev64q_u8(vreinterpretq_u8_u64(half)));
  };
  return {swapped(x.low), swapped(x.high)};
}

template <std::size_t kLanesUp>
[[gnu::always_inline]] inline Vec lanes_up(Vec x, Vec below) {
  if constexpr (kLanesUp == 1) {
    return {vextq_u64(below.high, x.low, 1), vextq_u64(x.low, x.high, 1)};
  } else {
    static_assert(kLanesUp == 2);
    return {below.high, x.low};
  }
}

[[gnu::always_inline]] inline void transpose(Vec* rows) {
  const Vec a = even_pairs(rows[0], rows[1]);
  const Vec b = odd_pairs(rows[0], rows[1]);
  const Vec c = even_pairs(rows[2], rows[3]);
  const Vec d = odd_pairs(rows[2], rows[3]);
  rows[0] = {a.low, c.low};
  rows[1] = {b.low, d.low};
  rows[2] = {a.high, c.high};
  rows[3] = {b.high, d.high};
}

}  // namespace

}  // namespace fhe::cpu
