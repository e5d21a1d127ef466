// SPDX-License-Identifier: Apache-2.0
// The butterflies of the passes: small DFTs, and products with powers of two, of which they are
// made, for any lanes (see residues.hpp).
#pragma once

#include <cstdint>
#include <utility>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/goldilocks/prime.hpp"
#include "accel/cpu/goldilocks/residues.hpp"

namespace fhe::cpu::goldilocks {

namespace {

// Multiplication by powers of two and the small DFTs made of it.
//
// Ranges, written "in -> out" per function; "first" is x[0]:
//   A DFT takes x[0] of any words and all others canonical. A word that is not canonical may only
//   be the left operand of a butterfly; x[0] and what is made from it never is the right one before
//   the last stage. It leaves any words, and x[0] canonical when all inputs were canonical.

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

// The DFT of 16 points in digits that need no comparison.
//
// 2^48 = I is a square root of -1, so a residue re + I im behaves like a Gaussian integer: I times
// it is -im + I re, and sums are sums of signed 64-bit words. The DFT needs powers of I and of
// 2^12.
//
// Ranges of |re| and |im| (all words are signed here):
//   digits of a word or of a product  < 2^58
//   after the DFTs of 4 points        < 2^60
//   times a power of two              < 2^49   (those that are not multiplied stay below 2^60)
//   after the second DFTs             < 2^62
//
// Results are any words; so are the words that come in.

inline constexpr int kDigit = 48;
inline constexpr std::uint64_t kDigitMask = (std::uint64_t{1} << kDigit) - 1;

struct Gaussian {
  Vec re;
  Vec im;

  [[gnu::always_inline]] Gaussian operator+(const Gaussian& y) const {
    return {add(re, y.re), add(im, y.im)};
  }
  [[gnu::always_inline]] Gaussian operator-(const Gaussian& y) const {
    return {sub(re, y.re), sub(im, y.im)};
  }
  // *this + I y and *this - I y.
  [[gnu::always_inline]] Gaussian plus_i(const Gaussian& y) const {
    return {sub(re, y.im), add(im, y.re)};
  }
  [[gnu::always_inline]] Gaussian minus_i(const Gaussian& y) const {
    return {add(re, y.im), sub(im, y.re)};
  }
  [[gnu::always_inline]] Gaussian times_i() const { return {sub(zero(), im), re}; }
  [[gnu::always_inline]] Gaussian negative() const { return {sub(zero(), re), sub(zero(), im)}; }

  // In a verify build: fails with the text `range` unless |re| and |im| are below 2^bits.
  [[gnu::always_inline]] Gaussian verified(const char* range, int bits) const {
    verify(range, [&] {
      const std::uint64_t end = std::uint64_t{1} << bits;
      return all_less(add(re, all(end)), all(2 * end)) && all_less(add(im, all(end)), all(2 * end));
    });
    return *this;
  }

  [[gnu::always_inline]] static Gaussian of_word(Vec x) {
    return {bit_and(x, all(kDigitMask)), shift_right<kDigit>(x)};
  }

  // A product in units of 32 or 52 bits, see full_product. With 2^64 = 2^16 I and 2^96 = -1 it is
  //   low mod 2^48 + floor(middle / 2^16) I + 2^16 (high mod 2^32) I - floor(high / 2^32),
  // or with 2^52 = 2^4 I and 2^104 = -2^8
  //   low + 2^4 middle I - 2^8 high.
  [[gnu::always_inline]] static Gaussian of_product(const Product& product) {
    return (kProductUnit == 32 ? of_32_bit_product(product) : of_52_bit_product(product))
        .verified("digits of a product < 2^58", 58);
  }
  [[gnu::always_inline]] static Gaussian of_52_bit_product(const Product& product) {
    return {sub(product.low, shift_left<8>(product.high)), shift_left<4>(product.middle)};
  }
  [[gnu::always_inline]] static Gaussian of_32_bit_product(const Product& product) {
    const Vec high = bit_and(product.high, all(kEpsilon));
    return {sub(bit_and(product.low, all(kDigitMask)), shift_right<32>(product.high)),
            add(shift_right<16>(product.middle), shift_left<16>(high))};
  }

  // 0 as a pair that makes a result of the DFT positive: -2^30 p = (2^62 - 2^30) - 2^46 I.
  [[gnu::always_inline]] static Gaussian bias() {
    return {all((std::uint64_t{1} << 62) - (std::uint64_t{1} << 30)),
            all(0 - (std::uint64_t{1} << 46))};
  }

  // Times 2^s, s modulo 192: what leaves one digit at the top enters the other.
  template <int kShift>
  [[gnu::always_inline]] Gaussian times_two_to() const {
    constexpr int s = (kShift % kOrderOfTwo + kOrderOfTwo) % kOrderOfTwo;
    if constexpr (s >= 2 * kDigit) {
      return times_two_to<s - 2 * kDigit>().negative();
    } else if constexpr (s >= kDigit) {
      return times_two_to<s - kDigit>().times_i();
    } else if constexpr (s == 0) {
      return *this;
    } else {
      const Vec mask = all(kDigitMask);
      verified("before a shift < 2^60", 60);
      return Gaussian{sub(bit_and(shift_left<s>(re), mask), shift_right_signed<kDigit - s>(im)),
                      add(bit_and(shift_left<s>(im), mask), shift_right_signed<kDigit - s>(re))}
          .verified("after a shift < 2^49", 49);
    }
  }

  // The residue as any word, for 2^15 <= re < 2^63, |im| < 2^62. With im = im0 + 2^16 h + 2^48 t,
  // im0 < 2^16, h < 2^32: 2^48 im0 + (re - t) + (2^32 - 1) h.
  [[gnu::always_inline]] Vec word() const {
    verify("result of a DFT: 2^15 <= re < 2^63, |im| < 2^62", [&] {
      constexpr std::uint64_t kLeast = 1U << 15;
      constexpr std::uint64_t kEnd = std::uint64_t{1} << 62;
      return all_less(sub(re, all(kLeast)), all(2 * kEnd - kLeast)) &&
             all_less(add(im, all(kEnd)), all(2 * kEnd));
    });
    const Vec low = sub(re, shift_right_signed<kDigit>(im));
    const Vec high = low_times_epsilon(shift_right<16>(im));
    return add_mod_lazy(add_mod_lazy(shift_left<kDigit>(im), low), high);
  }
};

// (x0, x1, x2, x3) -> their DFT with the root I, frequencies 0, 2, 1, 3.
[[gnu::always_inline]] inline void dft4(Gaussian& x0, Gaussian& x1, Gaussian& x2, Gaussian& x3) {
  const Gaussian even = x0 + x2;
  const Gaussian odd = x1 + x3;
  const Gaussian even_difference = x0 - x2;
  const Gaussian odd_difference = x1 - x3;
  x0 = even + odd;
  x1 = even - odd;
  x2 = even_difference.plus_i(odd_difference);
  x3 = even_difference.minus_i(odd_difference);
}

// Its inverse, times 4.
[[gnu::always_inline]] inline void inverse_dft4(Gaussian& x0, Gaussian& x1, Gaussian& x2,
                                                Gaussian& x3) {
  const Gaussian even = x0 + x1;
  const Gaussian odd = x0 - x1;
  const Gaussian even_difference = x2 + x3;
  const Gaussian odd_difference = x2 - x3;  // times I
  x0 = even + even_difference;
  x1 = odd.minus_i(odd_difference);
  x2 = even - even_difference;
  x3 = odd.plus_i(odd_difference);
}

// DFT of 16 points, frequencies bit-reversed. read(row) gives a Gaussian of one of the first two
// ranges above, write(place, word) takes a result.
template <class Read, class Write>
struct Dft16 {
  template <int i>
  [[gnu::always_inline]] static void column(Gaussian* x, const Read& read) {
    x[i] = read(i);
    x[i + 4] = read(i + 4);
    x[i + 8] = read(i + 8);
    x[i + 12] = read(i + 12);
    if constexpr (i == 0) x[0] = x[0] + Gaussian::bias();  // reaches every result
    dft4(x[i], x[i + 4], x[i + 8], x[i + 12]);
    x[i + 4] = x[i + 4].times_two_to<24 * i>();
    x[i + 8] = x[i + 8].times_two_to<12 * i>();
    x[i + 12] = x[i + 12].times_two_to<36 * i>();
  }
  template <int g>
  [[gnu::always_inline]] static void group(Gaussian* x, const Write& write) {
    dft4(x[g], x[g + 1], x[g + 2], x[g + 3]);
    write(g, x[g].word());
    write(g + 1, x[g + 1].word());
    write(g + 2, x[g + 2].word());
    write(g + 3, x[g + 3].word());
  }
  [[gnu::always_inline]] static void run(const Read& read, const Write& write) {
    Gaussian x[16];
    column<0>(x, read);
    column<1>(x, read);
    column<2>(x, read);
    column<3>(x, read);
    group<0>(x, write);
    group<4>(x, write);
    group<8>(x, write);
    group<12>(x, write);
  }

  // The inverse, times 16: read(place) and write(row, word).
  template <int g>
  [[gnu::always_inline]] static void inverse_group(Gaussian* x, const Read& read) {
    constexpr int kStep = g == 4 ? 24 : g == 8 ? 12 : 3 * g;  // 36 for g = 12
    x[g] = read(g);
    x[g + 1] = read(g + 1);
    x[g + 2] = read(g + 2);
    x[g + 3] = read(g + 3);
    if constexpr (g == 0) x[0] = x[0] + Gaussian::bias();
    inverse_dft4(x[g], x[g + 1], x[g + 2], x[g + 3]);
    x[g + 1] = x[g + 1].times_two_to<-kStep>();
    x[g + 2] = x[g + 2].times_two_to<-2 * kStep>();
    x[g + 3] = x[g + 3].times_two_to<-3 * kStep>();
  }
  template <int i>
  [[gnu::always_inline]] static void inverse_column(Gaussian* x, const Write& write) {
    inverse_dft4(x[i], x[i + 4], x[i + 8], x[i + 12]);
    write(i, x[i].word());
    write(i + 4, x[i + 4].word());
    write(i + 8, x[i + 8].word());
    write(i + 12, x[i + 12].word());
  }
  [[gnu::always_inline]] static void run_inverse(const Read& read, const Write& write) {
    Gaussian x[16];
    inverse_group<0>(x, read);
    inverse_group<4>(x, read);
    inverse_group<8>(x, read);
    inverse_group<12>(x, read);
    inverse_column<0>(x, write);
    inverse_column<1>(x, write);
    inverse_column<2>(x, write);
    inverse_column<3>(x, write);
  }
};

template <class Read, class Write>
[[gnu::always_inline]] inline void dft16(const Read& read, const Write& write) {
  Dft16<Read, Write>::run(read, write);
}

template <class Read, class Write>
[[gnu::always_inline]] inline void inverse_dft16(const Read& read, const Write& write) {
  Dft16<Read, Write>::run_inverse(read, write);
}

}  // namespace

}  // namespace fhe::cpu::goldilocks
