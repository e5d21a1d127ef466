// SPDX-License-Identifier: Apache-2.0
// Arithmetic modulo a prime on eight residues at once, and the butterflies made of it.
//
// For the files compiled for AVX-512 with IFMA alone: all is in an unnamed namespace, so that none
// of it can be taken for code of other files.
//
// Residues are kept in [0, m p) for a small m, given at each function. What goes into a product
// must be below 2^52 = kRoom * p: kRoom is 8 for primes below 2^49 and 4 for those below 2^50. A
// verify build (bounds.hpp) checks all of that.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

namespace {

// Whether begin <= x < end in every lane, for begin <= end.
[[gnu::always_inline]] inline bool is_within(Vec x, Vec begin, Vec end) {
  return all_less(sub(x, begin), sub(end, begin));
}
// In a verify build: fails with the text `range` unless all lanes are below 2^52.
[[gnu::always_inline]] inline void verify_52_bits(const char* range, Vec x) {
  verify(range, [&] { return all_less(x, all(std::uint64_t{1} << 52)); });
}
// Residues in memory, below 2^52.
[[gnu::always_inline]] inline Vec load_residues(const std::uint64_t* from) {
  const Vec x = load(from);
  verify_52_bits("residues that are read < 2^52", x);
  return x;
}
[[gnu::always_inline]] inline void store_residues(std::uint64_t* to, Vec x) {
  verify_52_bits("residues that are written < 2^52", x);
  store(to, x);
}
// x - bound where x >= bound, else x: from [0, 2 bound) to [0, bound). As unsigned numbers.
[[gnu::always_inline]] inline Vec reduce(Vec x, Vec bound) {
  verify("reduce: x < 2 bound", [&] { return is_within(x, zero(), add(bound, bound)); });
  return _mm512_min_epu64(x, sub(x, bound));
}

// Any 64-bit x modulo p = 2^Bits - gap, in [0, 2p): (x mod 2^Bits) + floor(x / 2^Bits) gap. See
// is_sound in primes.hpp for the bound.
template <int kRoom>
struct Folding {
  static constexpr int kBits = kRoom == 8 ? 49 : 50;

  [[gnu::always_inline]] explicit Folding(const Field& field)
      : mask(all((std::uint64_t{1} << kBits) - 1)), gap(all(field.gap)) {}

  [[gnu::always_inline]] Vec operator()(Vec x) const {
    const Vec folded = add_low(bit_and(x, mask), shift_right<kBits>(x), gap);
    verify("folded < 2p", [&] {
      const Vec p = sub(add(mask, all(1)), gap);
      return is_within(folded, zero(), add(p, p));
    });
    return folded;
  }

  Vec mask;
  Vec gap;
};

// A multiplier in all lanes.
struct Factor {
  [[gnu::always_inline]] explicit Factor(const Multiplier& c)
      : factor(all(c.factor)), quotient(all(c.quotient)) {}
  Vec factor;
  Vec quotient;
};

// The prime and its multiples in all lanes.
template <int kRoom>
struct Modulus {
  [[gnu::always_inline]] explicit Modulus(std::uint64_t prime)
      : p(all(prime)), minus_p(all(0 - prime)), p2(all(2 * prime)), p4(all(4 * prime)) {}

  // In a verify build: fails with the text `range` unless begin p <= x < end p in every lane.
  [[gnu::always_inline]] void verify_multiples(const char* range, Vec x, std::uint64_t begin,
                                               std::uint64_t end) const {
    verify(range,
           [&] { return is_within(x, low_product(p, all(begin)), low_product(p, all(end))); });
  }

  // y c in (0, 2p), for y < 2^52.
  [[gnu::always_inline]] Vec multiply(Vec y, const Factor& c) const {
    verify_52_bits("multiply: y < 2^52", y);
    const Vec m = add_low(zero(), y, c.quotient);
    const Vec high = add_high(zero(), y, c.factor);
    const Vec product = sub(high, add_high(minus_p, m, p));
    verify_multiples("multiply: result in [0, 2p)", product, 0, 2);
    return product;
  }
  // The same for y < 8p.
  [[gnu::always_inline]] Vec multiply_lazy(Vec y, const Factor& c) const {
    if constexpr (kRoom < 8) y = reduce(y, p4);
    return multiply(y, c);
  }
  // x from [0, 8p) to [0, 2p).
  [[gnu::always_inline]] Vec to_two(Vec x) const { return reduce(reduce(x, p4), p2); }
  // x from [0, kRoom p) to [0, 4p).
  [[gnu::always_inline]] Vec to_four(Vec x) const {
    if constexpr (kRoom > 4) return reduce(x, p4);
    return x;
  }
  // x from [0, 8p) to [0, kRoom p), which a product takes.
  [[gnu::always_inline]] Vec to_room(Vec x) const {
    if constexpr (kRoom < 8) return reduce(x, p4);
    return x;
  }

  // (x, y) -> (x + c y, x - c y) for x in [p, m p) and y < 2^52: both are in (0, (m + 1) p).
  [[gnu::always_inline]] void forward(Vec& x, Vec& y, const Factor& c) const {
    verify_multiples("forward: x in [p, 7p)", x, 1, 7);
    verify_52_bits("forward: y < 2^52", y);
    const Vec m = add_low(zero(), y, c.quotient);
    const Vec sum = sub(add_high(x, y, c.factor), add_high(zero(), m, p));
    y = sub(add(x, x), sum);
    x = sum;
    verify_multiples("forward: x + c y in [0, 8p)", x, 0, 8);
    verify_multiples("forward: x - c y in [0, 8p)", y, 0, 8);
  }
  // (x, y) -> (x + y, c (x - y)), the second in (0, 2p). `bound` is a multiple of p, y <= bound,
  // and x + bound < 2^52.
  [[gnu::always_inline]] void inverse(Vec& x, Vec& y, const Factor& c, Vec bound) const {
    verify("inverse: y <= bound", [&] { return is_within(y, zero(), add(bound, all(1))); });
    const Vec sum = add(x, y);
    y = multiply(add(sub(x, y), bound), c);
    x = sum;
  }

  Vec p;
  Vec minus_p;
  Vec p2;
  Vec p4;
};

// The forward butterflies take [0, kRoom p) to [0, kRoom p), the inverse ones [0, 2p) to [0, 2p)
// (times the radix). See Level for what they compute and for the order of the parts.

struct Radix4 {
  [[gnu::always_inline]] explicit Radix4(const Multiplier* c)
      : outer(c[0]), even(c[1]), odd(c[2]) {}

  template <int kRoom>
  [[gnu::always_inline]] void forward(const Modulus<kRoom>& mod, Vec* a) const {
    each<4>([&](auto k) __attribute__((always_inline)) {
      mod.verify_multiples("radix 4: in [0, kRoom p)", a[k], 0, kRoom);
    });
    a[0] = add(mod.to_four(a[0]), mod.p2);                         // [2p, 6p)
    a[1] = add(reduce(a[1], kRoom < 8 ? mod.p2 : mod.p4), mod.p);  // [p, 3p), or [p, 5p)
    mod.forward(a[0], a[2], outer);                                // (p, 7p)
    mod.forward(a[1], a[3], outer);                                // (0, 4p), or (0, 6p)
    mod.forward(a[0], a[1], even);                                 // (0, 8p)
    mod.forward(a[2], a[3], odd);
    each<4>([&](auto k) __attribute__((always_inline)) { a[k] = mod.to_room(a[k]); });
  }

  template <int kRoom>
  [[gnu::always_inline]] void inverse(const Modulus<kRoom>& mod, Vec* a) const {
    each<4>([&](auto k) __attribute__((always_inline)) {
      mod.verify_multiples("inverse radix 4: in [0, 2p)", a[k], 0, 2);
    });
    mod.inverse(a[0], a[1], even, mod.p2);  // [0, 4p), (0, 2p)
    mod.inverse(a[2], a[3], odd, mod.p2);
    if constexpr (kRoom < 8) {
      a[0] = reduce(a[0], mod.p2);
      a[2] = reduce(a[2], mod.p2);
      mod.inverse(a[0], a[2], outer, mod.p2);  // [0, 4p), (0, 2p)
    } else {
      mod.inverse(a[0], a[2], outer, mod.p4);  // [0, 8p), (0, 2p)
      a[0] = reduce(a[0], mod.p4);
    }
    mod.inverse(a[1], a[3], outer, mod.p2);  // [0, 4p), (0, 2p)
    a[0] = reduce(a[0], mod.p2);
    a[1] = reduce(a[1], mod.p2);
  }

  Factor outer;
  Factor even;
  Factor odd;
};

// The discrete Fourier transform of length 3: X_k = a0 + w^k a1 + w^2k a2, from
//   t = w (a1 - a2):  X_0 = a0 + a1 + a2,  X_1 = a0 - a2 + t,  X_2 = a0 - a1 - t.
struct Dft3 {
  [[gnu::always_inline]] explicit Dft3(const Field& field) : third(field.third) {}

  // a0 in [0, m p), a1 and a2 in [0, 2p): the results are in [0, (m + 4) p).
  template <int kRoom>
  [[gnu::always_inline]] void forward(const Modulus<kRoom>& mod, Vec& a0, Vec& a1, Vec& a2) const {
    mod.verify_multiples("DFT of 3 points: a0 in [0, 4p)", a0, 0, 4);
    verify("DFT of 3 points: a1 in [0, 2p]",
           [&] { return is_within(a1, zero(), add(mod.p2, all(1))); });
    mod.verify_multiples("DFT of 3 points: a2 in [0, 2p)", a2, 0, 2);
    const Vec t = mod.multiply(add(sub(a1, a2), mod.p2), third);
    const Vec x1 = add(add(sub(a0, a2), mod.p2), t);
    const Vec x2 = sub(add(sub(a0, a1), mod.p4), t);
    a0 = add(add(a0, a1), a2);
    a1 = x1;
    a2 = x2;
    mod.verify_multiples("DFT of 3 points: X_0 in [0, 8p)", a0, 0, 8);
    mod.verify_multiples("DFT of 3 points: X_1 in [0, 8p)", a1, 0, 8);
    mod.verify_multiples("DFT of 3 points: X_2 in [0, 8p)", a2, 0, 8);
  }
  // Three times the inverse, [0, 2p) to [0, 6p): the forward transform with X_1 and X_2 exchanged.
  template <int kRoom>
  [[gnu::always_inline]] void inverse(const Modulus<kRoom>& mod, Vec& a0, Vec& a1, Vec& a2) const {
    forward(mod, a0, a1, a2);
    const Vec x1 = a1;
    a1 = a2;
    a2 = x1;
  }

  Factor third;
};

struct Radix3 {
  [[gnu::always_inline]] Radix3(const Field& field, const Multiplier* c)
      : dft(field), first(c[0]), second(c[1]) {}

  template <int kRoom>
  [[gnu::always_inline]] void forward(const Modulus<kRoom>& mod, Vec* a) const {
    a[0] = mod.to_four(a[0]);
    a[1] = mod.multiply(a[1], first);
    a[2] = mod.multiply(a[2], second);
    dft.forward(mod, a[0], a[1], a[2]);
    each<3>([&](auto k) __attribute__((always_inline)) { a[k] = mod.to_room(a[k]); });
  }
  template <int kRoom>
  [[gnu::always_inline]] void inverse(const Modulus<kRoom>& mod, Vec* a) const {
    dft.inverse(mod, a[0], a[1], a[2]);
    a[0] = mod.to_two(a[0]);
    a[1] = mod.multiply_lazy(a[1], first);
    a[2] = mod.multiply_lazy(a[2], second);
  }

  Dft3 dft;
  Factor first;
  Factor second;
};

// The discrete Fourier transform of length 5 by its even and odd parts (Winograd): with
//   e1 = a1 + a4,  e2 = a2 + a3,  d1 = a1 - a4,  d2 = a2 - a3,
//   C1, C2 = a0 - (e1 + e2)/4 +- sqrt(5)/4 (e1 - e2),
//   S1 = s2 (d1 + d2) + (s1 - s2) d1,  S2 = s2 (d1 + d2) - (s1 + s2) d2:
//   X_0 = a0 + e1 + e2,  X_1, X_4 = C1 +- S1,  X_2, X_3 = C2 +- S2.
struct Dft5 {
  [[gnu::always_inline]] explicit Dft5(const Field& field)
      : minus_quarter(field.minus_quarter),
        root_five(field.root_five),
        sine_two(field.sine_two),
        sine_difference(field.sine_difference),
        sine_sum(field.sine_sum) {}

  // a0 in [0, 4p), the others in [0, 2p), to [0, 8p).
  template <int kRoom>
  [[gnu::always_inline]] void forward(const Modulus<kRoom>& mod, Vec* a) const {
    mod.verify_multiples("DFT of 5 points: a0 in [0, 4p)", a[0], 0, 4);
    each<4>([&](auto k) __attribute__((always_inline)) {
      mod.verify_multiples("DFT of 5 points: a1 to a4 in [0, 2p)", a[k + 1], 0, 2);
    });
    const Vec d1 = add(sub(a[1], a[4]), mod.p2);                                     // (0, 4p)
    const Vec d2 = add(sub(a[2], a[3]), mod.p2);                                     // (0, 4p)
    const Vec e1 = reduce(add(a[1], a[4]), mod.p2);                                  // [0, 2p)
    const Vec e2 = reduce(add(a[2], a[3]), mod.p2);                                  // [0, 2p)
    const Vec e = add(e1, e2);                                                       // [0, 4p)
    const Vec middle = add(a[0], mod.multiply(e, minus_quarter));                    // [0, 6p)
    const Vec swing = mod.multiply(add(sub(e1, e2), mod.p2), root_five);             // (0, 2p)
    const Vec c1 = reduce(add(middle, swing), mod.p4);                               // [0, 4p)
    const Vec c2 = reduce(add(sub(middle, swing), mod.p2), mod.p4);                  // [0, 4p)
    const Vec d = mod.multiply_lazy(add(d1, d2), sine_two);                          // (0, 2p)
    const Vec s1 = reduce(add(d, mod.multiply(d1, sine_difference)), mod.p2);        // [0, 2p)
    const Vec s2 = reduce(add(sub(d, mod.multiply(d2, sine_sum)), mod.p2), mod.p2);  // [0, 2p)
    a[0] = add(a[0], e);
    a[1] = add(c1, s1);
    a[4] = add(sub(c1, s1), mod.p2);
    a[2] = add(c2, s2);
    a[3] = add(sub(c2, s2), mod.p2);
    each<5>([&](auto k) __attribute__((always_inline)) {
      mod.verify_multiples("DFT of 5 points: results in [0, 8p)", a[k], 0, 8);
    });
  }
  // Five times the inverse: the forward transform with X_k and X_5-k exchanged.
  template <int kRoom>
  [[gnu::always_inline]] void inverse(const Modulus<kRoom>& mod, Vec* a) const {
    forward(mod, a);
    const Vec a1 = a[1];
    const Vec a2 = a[2];
    a[1] = a[4];
    a[2] = a[3];
    a[3] = a2;
    a[4] = a1;
  }

  Factor minus_quarter;
  Factor root_five;
  Factor sine_two;
  Factor sine_difference;
  Factor sine_sum;
};

struct Radix5 {
  [[gnu::always_inline]] Radix5(const Field& field, const Multiplier* c)
      : dft(field), powers{Factor(c[0]), Factor(c[1]), Factor(c[2]), Factor(c[3])} {}

  template <int kRoom>
  [[gnu::always_inline]] void forward(const Modulus<kRoom>& mod, Vec* a) const {
    a[0] = mod.to_four(a[0]);
    each<4>([&](auto k)
                __attribute__((always_inline)) { a[k + 1] = mod.multiply(a[k + 1], powers[k]); });
    dft.forward(mod, a);
    each<5>([&](auto k) __attribute__((always_inline)) { a[k] = mod.to_room(a[k]); });
  }
  template <int kRoom>
  [[gnu::always_inline]] void inverse(const Modulus<kRoom>& mod, Vec* a) const {
    dft.inverse(mod, a);
    a[0] = mod.to_two(a[0]);
    each<4>([&](auto k) __attribute__((always_inline)) {
      a[k + 1] = mod.multiply_lazy(a[k + 1], powers[k]);
    });
  }

  Dft5 dft;
  Factor powers[4];
};

}  // namespace

}  // namespace fhe::cpu::three_primes
