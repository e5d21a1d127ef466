// SPDX-License-Identifier: Apache-2.0
// Multiplication by powers of two and the small DFTs made of it, as templates over a lanes type L
// (lanes_portable.hpp). Lanes types are local to one source, and so is everything made from them.
//
// Ranges, written "in -> out" per function; "first" is x[0]:
//   A DFT takes x[0] of any words and all others canonical. A word that is not canonical may only
//   be the left operand of a butterfly; x[0] and what is made from it never is the right one before
//   the last stage. It leaves any words, and x[0] canonical when all inputs were canonical.
#pragma once

#include <utility>

#include "accel/cpu/goldilocks/prime.hpp"

#define FHE_INLINE [[gnu::always_inline]] inline

namespace fhe::cpu::goldilocks {

// x * 2^s, or its negative, modulo p for 0 < s < 64; any words -> canonical.
//   s <= 32: x 2^s = lo + 2^64 h          = lo + (2^32 - 1) h,      h < 2^32
//   s > 32:  x 2^s = lo + 2^64 h + 2^96 t = lo + (2^32 - 1) h - t,  t < 2^32, lo < p
template <int s, bool kNegative, class L>
FHE_INLINE typename L::Vec shifted_left(typename L::Vec x) {
  static_assert(0 < s && s < 64);
  const auto low = L::template left<s>(x);
  const auto high = L::low_times_epsilon(L::template right<64 - s>(x));
  if constexpr (s <= 32) {
    const auto result = L::sub(low, L::prime_minus(high));
    return kNegative ? L::sub(L::zero(), result) : result;
  } else {
    const auto top = L::template right<96 - s>(x);
    return kNegative ? L::sub(L::sub(top, low), high)
                     : L::sub(L::sub(low, top), L::prime_minus(high));
  }
}

// x / 2^t, or its negative, modulo p for 0 < t <= 32; any words -> canonical.
//   With l the low t bits: x / 2^t = floor(x / 2^t) + 2^(32 - t) l / 2^32, and
//   1 / 2^32 = -2^64 = -(2^32 - 1).
template <int t, bool kNegative, class L>
FHE_INLINE typename L::Vec shifted_right(typename L::Vec x) {
  static_assert(0 < t && t <= 32);
  const auto quotient = L::template right<t>(x);
  const auto rest = L::low_times_epsilon(L::template left<32 - t>(x));
  return kNegative ? L::sub(rest, quotient) : L::sub(quotient, rest);
}

// x * 2^s modulo p, s modulo 192; any words -> canonical, or unchanged for s = 0.
template <int kShift, class L>
FHE_INLINE typename L::Vec times_two_to(typename L::Vec x) {
  constexpr int s = (kShift % kOrderOfTwo + kOrderOfTwo) % kOrderOfTwo;
  if constexpr (s == 0) {
    return x;
  } else if constexpr (s == 96) {
    return L::sub(L::zero(), L::sub(x, L::prime_minus(L::zero())));
  } else if constexpr (s < 64) {
    return shifted_left<s, false, L>(x);
  } else if constexpr (s < 96) {
    return shifted_right<96 - s, true, L>(x);
  } else if constexpr (s < 160) {
    return shifted_left<s - 96, true, L>(x);
  } else {
    return shifted_right<192 - s, false, L>(x);
  }
}

// (u, v) -> (u + v, (u - v) 2^s), 0 <= s < 96, v canonical.
// s = 0: u any word. s > 0: u canonical.
template <int s, bool kLazy, class L>
FHE_INLINE void split_butterfly(typename L::Vec& u, typename L::Vec& v) {
  static_assert(0 <= s && s < 96);
  const auto a = u;
  const auto b = v;
  u = kLazy ? L::add_lazy(a, b) : L::add(a, b);
  if constexpr (s == 0) {
    v = L::sub(a, b);
  } else if constexpr (s < 64) {
    v = shifted_left<s, false, L>(L::sub(a, b));
  } else {
    v = shifted_right<96 - s, false, L>(L::sub(b, a));
  }
}

// (u, v) -> (u + v 2^-s, u - v 2^-s), 0 <= s < 96, canonical -> canonical, or any words if lazy.
template <int s, bool kLazy, class L>
FHE_INLINE void join_butterfly(typename L::Vec& u, typename L::Vec& v) {
  static_assert(0 <= s && s < 96);
  const auto a = u;
  if constexpr (s == 0 || (s > 0 && s <= 32)) {
    const auto t = s == 0 ? v : shifted_right<(s == 0 ? 1 : s), false, L>(v);
    u = kLazy ? L::add_lazy(a, t) : L::add(a, t);
    v = L::sub(a, t);
  } else {  // 2^-s = -2^(96 - s)
    const auto t = shifted_left<96 - s, false, L>(v);
    u = L::sub(a, t);
    v = kLazy ? L::add_lazy(a, t) : L::add(a, t);
  }
}

// DFT of R = 2^k points in place, R <= 16; frequencies bit-reversed.
template <int R, class L>
FHE_INLINE void dft(typename L::Vec* x);

template <int R, bool kFirst, class L, int... i>
FHE_INLINE void split_stage(typename L::Vec* x, std::integer_sequence<int, i...>) {
  (split_butterfly<kOrderOfTwo / R * i, (R == 2 && !kFirst), L>(x[i], x[i + R / 2]), ...);
}

// kFirst: x[0] is the first point of the whole DFT.
template <int R, bool kFirst, class L>
FHE_INLINE void dft_part(typename L::Vec* x) {
  if constexpr (R > 1) {
    split_stage<R, kFirst, L>(x, std::make_integer_sequence<int, R / 2>());
    dft_part<R / 2, kFirst, L>(x);
    dft_part<R / 2, false, L>(x + R / 2);
  }
}

template <int R, class L>
FHE_INLINE void dft(typename L::Vec* x) {
  dft_part<R, true, L>(x);
}

// The same with x[R / 2] .. x[R - 1] zero: they are not read.
template <int R, class L, int... i>
FHE_INLINE void dft_of_half(typename L::Vec* x, std::integer_sequence<int, i...>) {
  ((x[i + R / 2] = times_two_to<kOrderOfTwo / R * i, L>(x[i])), ...);
  dft_part<R / 2, true, L>(x);
  dft_part<R / 2, false, L>(x + R / 2);
}

// Inverse of dft, times R. Canonical -> x[0] canonical, the others also unless lazy.
template <int R, bool kLazy, class L, int... i>
FHE_INLINE void join_stage(typename L::Vec* x, std::integer_sequence<int, i...>) {
  (join_butterfly<kOrderOfTwo / R * i, (kLazy && i > 0), L>(x[i], x[i + R / 2]), ...);
}

template <int R, bool kLazy, class L>
FHE_INLINE void inverse_dft(typename L::Vec* x) {
  if constexpr (R > 1) {
    inverse_dft<R / 2, false, L>(x);
    inverse_dft<R / 2, false, L>(x + R / 2);
    join_stage<R, kLazy, L>(x, std::make_integer_sequence<int, R / 2>());
  }
}

// DFT of 3 points with w = 2^64 = 2^32 - 1, w^2 = -2^32; canonical -> canonical. With
// t = 2^32 (b - c):  a + w b + w^2 c = a - b + t,  a + w^2 b + w c = a - c - t.
template <class L>
FHE_INLINE void dft3(typename L::Vec* x) {
  const auto a = x[0];
  const auto b = x[1];
  const auto c = x[2];
  const auto t = shifted_left<32, false, L>(L::sub(b, c));
  x[0] = L::add(L::add(a, b), c);
  x[1] = L::add(L::sub(a, b), t);
  x[2] = L::sub(L::sub(a, c), t);
}

// Its inverse, times 3: w^-1 = w^2, so the last two results change places.
template <class L>
FHE_INLINE void inverse_dft3(typename L::Vec* x) {
  dft3<L>(x);
  const auto second = x[1];
  x[1] = x[2];
  x[2] = second;
}

}  // namespace fhe::cpu::goldilocks
