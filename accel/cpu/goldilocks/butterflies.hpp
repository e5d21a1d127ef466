// SPDX-License-Identifier: Apache-2.0
// Multiplication by powers of two and the small DFTs made of it, for any lanes (see residues.hpp).
//
// Ranges, written "in -> out" per function; "first" is x[0]:
//   A DFT takes x[0] of any words and all others canonical. A word that is not canonical may only
//   be the left operand of a butterfly; x[0] and what is made from it never is the right one before
//   the last stage. It leaves any words, and x[0] canonical when all inputs were canonical.
#pragma once

#include <utility>

#include "accel/cpu/goldilocks/prime.hpp"
#include "accel/cpu/goldilocks/residues.hpp"

namespace fhe::cpu::goldilocks {

namespace {

// x * 2^s, or its negative, modulo p for 0 < s < 64; any words -> canonical.
//   s <= 32: x 2^s = lo + 2^64 h          = lo + (2^32 - 1) h,      h < 2^32
//   s > 32:  x 2^s = lo + 2^64 h + 2^96 t = lo + (2^32 - 1) h - t,  t < 2^32, lo < p
template <int s, bool kNegative>
[[gnu::always_inline]] inline Vec shift_left_mod(Vec x) {
  static_assert(0 < s && s < 64);
  const auto low = shift_left<s>(x);
  const auto high = low_times_epsilon(shift_right<64 - s>(x));
  if constexpr (s <= 32) {
    const auto result = sub_mod(low, prime_minus(high));
    return kNegative ? sub_mod(zero(), result) : result;
  } else {
    const auto top = shift_right<96 - s>(x);
    return kNegative ? sub_mod(sub_mod(top, low), high)
                     : sub_mod(sub_mod(low, top), prime_minus(high));
  }
}

// x / 2^t, or its negative, modulo p for 0 < t <= 32; any words -> canonical.
//   With l the low t bits: x / 2^t = floor(x / 2^t) + 2^(32 - t) l / 2^32, and
//   1 / 2^32 = -2^64 = -(2^32 - 1).
template <int t, bool kNegative>
[[gnu::always_inline]] inline Vec shift_right_mod(Vec x) {
  static_assert(0 < t && t <= 32);
  const auto quotient = shift_right<t>(x);
  const auto rest = low_times_epsilon(shift_left<32 - t>(x));
  return kNegative ? sub_mod(rest, quotient) : sub_mod(quotient, rest);
}

// x * 2^s modulo p, s modulo 192; any words -> canonical, or unchanged for s = 0.
template <int kShift>
[[gnu::always_inline]] inline Vec times_two_to(Vec x) {
  constexpr int s = (kShift % kOrderOfTwo + kOrderOfTwo) % kOrderOfTwo;
  if constexpr (s == 0) {
    return x;
  } else if constexpr (s == 96) {
    return sub_mod(zero(), sub_mod(x, prime_minus(zero())));
  } else if constexpr (s < 64) {
    return shift_left_mod<s, false>(x);
  } else if constexpr (s < 96) {
    return shift_right_mod<96 - s, true>(x);
  } else if constexpr (s < 160) {
    return shift_left_mod<s - 96, true>(x);
  } else {
    return shift_right_mod<192 - s, false>(x);
  }
}

// (u, v) -> (u + v, (u - v) 2^s), 0 <= s < 96, v canonical.
// s = 0: u any word. s > 0: u canonical.
template <int s, bool kLazy>
[[gnu::always_inline]] inline void split_butterfly(Vec& u, Vec& v) {
  static_assert(0 <= s && s < 96);
  const auto a = u;
  const auto b = v;
  u = kLazy ? add_mod_lazy(a, b) : add_mod(a, b);
  if constexpr (s == 0) {
    v = sub_mod(a, b);
  } else if constexpr (s < 64) {
    v = shift_left_mod<s, false>(sub_mod(a, b));
  } else {
    v = shift_right_mod<96 - s, false>(sub_mod(b, a));
  }
}

// (u, v) -> (u + v 2^-s, u - v 2^-s), 0 <= s < 96, canonical -> canonical, or any words if lazy.
template <int s, bool kLazy>
[[gnu::always_inline]] inline void join_butterfly(Vec& u, Vec& v) {
  static_assert(0 <= s && s < 96);
  const auto a = u;
  if constexpr (s == 0 || (s > 0 && s <= 32)) {
    const auto t = s == 0 ? v : shift_right_mod<(s == 0 ? 1 : s), false>(v);
    u = kLazy ? add_mod_lazy(a, t) : add_mod(a, t);
    v = sub_mod(a, t);
  } else {  // 2^-s = -2^(96 - s)
    const auto t = shift_left_mod<96 - s, false>(v);
    u = sub_mod(a, t);
    v = kLazy ? add_mod_lazy(a, t) : add_mod(a, t);
  }
}

template <int R, bool kFirst, int... i>
[[gnu::always_inline]] inline void split_stage(Vec* x, std::integer_sequence<int, i...>) {
  (split_butterfly<kOrderOfTwo / R * i, (R == 2 && !kFirst)>(x[i], x[i + R / 2]), ...);
}

// kFirst: x[0] is the first point of the whole DFT.
template <int R, bool kFirst>
[[gnu::always_inline]] inline void dft_part(Vec* x) {
  if constexpr (R > 1) {
    split_stage<R, kFirst>(x, std::make_integer_sequence<int, R / 2>());
    dft_part<R / 2, kFirst>(x);
    dft_part<R / 2, false>(x + R / 2);
  }
}

// DFT of R = 2^k points in place, R <= 16; frequencies bit-reversed.
template <int R>
[[gnu::always_inline]] inline void dft(Vec* x) {
  dft_part<R, true>(x);
}

// The same with x[R / 2] .. x[R - 1] zero: they are not read.
template <int R, int... i>
[[gnu::always_inline]] inline void dft_of_half(Vec* x, std::integer_sequence<int, i...>) {
  ((x[i + R / 2] = times_two_to<kOrderOfTwo / R * i>(x[i])), ...);
  dft_part<R / 2, true>(x);
  dft_part<R / 2, false>(x + R / 2);
}

// Inverse of dft, times R. Canonical -> x[0] canonical, the others also unless lazy.
template <int R, bool kLazy, int... i>
[[gnu::always_inline]] inline void join_stage(Vec* x, std::integer_sequence<int, i...>) {
  (join_butterfly<kOrderOfTwo / R * i, (kLazy && i > 0)>(x[i], x[i + R / 2]), ...);
}

template <int R, bool kLazy>
[[gnu::always_inline]] inline void inverse_dft(Vec* x) {
  if constexpr (R > 1) {
    inverse_dft<R / 2, false>(x);
    inverse_dft<R / 2, false>(x + R / 2);
    join_stage<R, kLazy>(x, std::make_integer_sequence<int, R / 2>());
  }
}

// DFT of 3 points with w = 2^64 = 2^32 - 1, w^2 = -2^32; canonical -> canonical. With
// t = 2^32 (b - c):  a + w b + w^2 c = a - b + t,  a + w^2 b + w c = a - c - t.
[[gnu::always_inline]] inline void dft3(Vec* x) {
  const auto a = x[0];
  const auto b = x[1];
  const auto c = x[2];
  const auto t = shift_left_mod<32, false>(sub_mod(b, c));
  x[0] = add_mod(add_mod(a, b), c);
  x[1] = add_mod(sub_mod(a, b), t);
  x[2] = sub_mod(sub_mod(a, c), t);
}

// Its inverse, times 3: w^-1 = w^2, so the last two results change places.
[[gnu::always_inline]] inline void inverse_dft3(Vec* x) {
  dft3(x);
  const auto second = x[1];
  x[1] = x[2];
  x[2] = second;
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
