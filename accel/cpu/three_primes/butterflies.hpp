// SPDX-License-Identifier: Apache-2.0
// The butterflies of radix 3 and 5, for both forms of residues: a source includes residues_ifma.hpp
// or residues_reals.hpp before. Ranges are those of the first; residues_reals.hpp says what they
// are in the second.
//
// The forward butterflies take [0, kRoom p) to [0, kRoom p), the inverse ones [0, 2p) to [0, 2p)
// (times the radix). See Level for what they compute and for the order of the parts.
#pragma once

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

namespace {

// The discrete Fourier transform of length 3: X_k = a0 + w^k a1 + w^2k a2, from
//   t = w (a1 - a2):  X_0 = a0 + a1 + a2,  X_1 = a0 - a2 + t,  X_2 = a0 - a1 - t.
struct Dft3 {
  [[gnu::always_inline]] explicit Dft3(const Field& field) : third(field.third) {}

  // a0 in [0, m p), a1 and a2 in [0, 2p): the results are in [0, (m + 4) p).
  template <int kRoom>
  [[gnu::always_inline]] void forward(const Modulus<kRoom>& mod, Residue& a0, Residue& a1,
                                      Residue& a2) const {
    mod.verify_multiples("DFT of 3 points: a0 in [0, 4p)", a0, 0, 4);
    mod.verify_multiples("DFT of 3 points: a2 in [0, 2p)", a2, 0, 2);
    const Residue t = mod.multiply(mod.template difference<2>(a1, a2), third);
    const Residue x1 = add(mod.template difference<2>(a0, a2), t);
    const Residue x2 = sub(mod.template difference<4>(a0, a1), t);
    a0 = add(add(a0, a1), a2);
    a1 = x1;
    a2 = x2;
    mod.verify_sums("DFT of 3 points: X_0", a0);
    mod.verify_sums("DFT of 3 points: X_1", a1);
    mod.verify_sums("DFT of 3 points: X_2", a2);
  }
  // Three times the inverse, [0, 2p) to [0, 6p): the forward transform with X_1 and X_2 exchanged.
  template <int kRoom>
  [[gnu::always_inline]] void inverse(const Modulus<kRoom>& mod, Residue& a0, Residue& a1,
                                      Residue& a2) const {
    forward(mod, a0, a1, a2);
    const Residue x1 = a1;
    a1 = a2;
    a2 = x1;
  }

  Factor third;
};

struct Radix3 {
  [[gnu::always_inline]] Radix3(const Field& field, const Multiplier* c)
      : dft(field), first(c[0]), second(c[1]) {}

  template <int kRoom>
  [[gnu::always_inline]] void forward(const Modulus<kRoom>& mod, Residue* a) const {
    a[0] = mod.to_four(a[0]);
    a[1] = mod.multiply(a[1], first);
    a[2] = mod.multiply(a[2], second);
    dft.forward(mod, a[0], a[1], a[2]);
    each<3>([&](auto k) __attribute__((always_inline)) { a[k] = mod.to_room(a[k]); });
  }
  template <int kRoom>
  [[gnu::always_inline]] void inverse(const Modulus<kRoom>& mod, Residue* a) const {
    dft.inverse(mod, a[0], a[1], a[2]);
    a[0] = mod.shorten(a[0]);
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
  [[gnu::always_inline]] void forward(const Modulus<kRoom>& mod, Residue* a) const {
    mod.verify_multiples("DFT of 5 points: a0 in [0, 4p)", a[0], 0, 4);
    each<4>([&](auto k) __attribute__((always_inline)) {
      mod.verify_multiples("DFT of 5 points: a1 to a4 in [0, 2p)", a[k + 1], 0, 2);
    });
    const Residue d1 = mod.template difference<2>(a[1], a[4]);                           // (0, 4p)
    const Residue d2 = mod.template difference<2>(a[2], a[3]);                           // (0, 4p)
    const Residue e1 = mod.template wrap<2>(add(a[1], a[4]));                            // [0, 2p)
    const Residue e2 = mod.template wrap<2>(add(a[2], a[3]));                            // [0, 2p)
    const Residue e = add(e1, e2);                                                       // [0, 4p)
    const Residue middle = add(a[0], mod.multiply(e, minus_quarter));                    // [0, 6p)
    const Residue swing = mod.multiply(mod.template difference<2>(e1, e2), root_five);   // (0, 2p)
    const Residue c1 = mod.template wrap<4>(add(middle, swing));                         // [0, 4p)
    const Residue c2 = mod.template wrap<4>(mod.template difference<2>(middle, swing));  // [0, 4p)
    const Residue d = mod.multiply_lazy(add(d1, d2), sine_two);                          // (0, 2p)
    const Residue s1 = mod.template wrap<2>(add(d, mod.multiply(d1, sine_difference)));  // [0, 2p)
    const Residue s2 =
        mod.template wrap<2>(mod.template difference<2>(d, mod.multiply(d2, sine_sum)));  // [0, 2p)
    a[0] = add(a[0], e);
    a[1] = add(c1, s1);
    a[4] = mod.template difference<2>(c1, s1);
    a[2] = add(c2, s2);
    a[3] = mod.template difference<2>(c2, s2);
    each<5>([&](auto k) __attribute__((always_inline)) {
      mod.verify_sums("DFT of 5 points: results", a[k]);
    });
  }
  // Five times the inverse: the forward transform with X_k and X_5-k exchanged.
  template <int kRoom>
  [[gnu::always_inline]] void inverse(const Modulus<kRoom>& mod, Residue* a) const {
    forward(mod, a);
    const Residue a1 = a[1];
    const Residue a2 = a[2];
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
  [[gnu::always_inline]] void forward(const Modulus<kRoom>& mod, Residue* a) const {
    a[0] = mod.to_four(a[0]);
    each<4>([&](auto k)
                __attribute__((always_inline)) { a[k + 1] = mod.multiply(a[k + 1], powers[k]); });
    dft.forward(mod, a);
    each<5>([&](auto k) __attribute__((always_inline)) { a[k] = mod.to_room(a[k]); });
  }
  template <int kRoom>
  [[gnu::always_inline]] void inverse(const Modulus<kRoom>& mod, Residue* a) const {
    dft.inverse(mod, a);
    a[0] = mod.shorten(a[0]);
    each<4>([&](auto k) __attribute__((always_inline)) {
      a[k + 1] = mod.multiply_lazy(a[k + 1], powers[k]);
    });
  }

  Dft5 dft;
  Factor powers[4];
};

}  // namespace

}  // namespace fhe::cpu::three_primes
