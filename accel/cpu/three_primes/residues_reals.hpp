// SPDX-License-Identifier: Apache-2.0
// Arithmetic modulo a prime on as many residues at once as a vector holds, by fused multiply-adds
// in double precision, and the butterflies of radix 4 made of it. The counterpart of
// residues_ifma.hpp, with the same names; a source includes reals_avx2.hpp or reals_avx512.hpp, and
// then one of the two.
//
// Nothing is rounded that matters. Residues are whole numbers of either sign below 2^53, kept as
// numbers of double precision, in |x| <= m p for a small m, given at each function. In
//   h = y c, rounded;   l = y c - h;   q, any whole number near y c / p;   (h - q p) + l
// l is a number of double precision as the error of a product always is; h - q p and the sum are
// whole numbers below 2^53, and so are found without an error. Only q depends on rounding, to
// nearest, and only the range of the result depends on q.
//
// What goes into a product must be at most 2^52, that is kRoom p: kRoom is 8 for primes below 2^49
// and 4 for those below 2^50. A verify build (bounds.hpp) checks all of that.
//
// The ranges of the other form that butterflies.hpp and limbs.hpp speak of are these ranges moved
// to one side: [0, 2 m p) there is |x| <= 9/8 m p here. "Short" numbers, which the inverse
// transform takes and leaves, are in |x| <= 9/8 p; with primes above 2^49, in |x| <= 5/8 p.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/three_primes/primes.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

namespace {

using Residue = Real;
constexpr Form kForm = Form::reals;

// For |x| <= 2^51, x + kRounder is x rounded to a whole number, plus kRounder: the last bit of
// numbers between 2^52 and 2^53 is worth 1.
constexpr double kRounder = 0x1.8p52;

// In a verify build: fails with the text `range` unless x is a whole number in every lane and
// |x| <= bound.
[[gnu::always_inline]] inline void verify_whole(const char* range, Real x, double bound) {
  verify(range, [&] { return all_whole(x) && all_within(x, all_reals(bound)); });
}
// Residues in memory, at most 2^52.
[[gnu::always_inline]] inline Real load_residues(const std::uint64_t* from) {
  const Real x = load_reals(from);
  verify_whole("residues that are read <= 2^52", x, 0x1p52);
  return x;
}
[[gnu::always_inline]] inline void store_residues(std::uint64_t* to, Real x) {
  verify_whole("residues that are written <= 2^52", x, 0x1p52);
  store_reals(to, x);
}

// A multiplier in all lanes.
struct Factor {
  [[gnu::always_inline]] explicit Factor(const Multiplier& c)
      : factor(all_reals(std::bit_cast<double>(c.factor))),
        quotient(all_reals(std::bit_cast<double>(c.quotient))) {}
  Real factor;
  Real quotient;
};

// The prime and its inverse in all lanes.
template <int kRoom>
struct Modulus {
  static constexpr bool kNarrow = kRoom == 8;
  static constexpr double kShort = kNarrow ? 1.125 : 0.625;

  [[gnu::always_inline]] explicit Modulus(const Field& field)
      : p(all_reals(static_cast<double>(field.p))),
        reciprocal(all_reals(field.reciprocal)),
        rounder(all_reals(kRounder)) {}

  // In a verify build: fails with the text `range` unless x is a whole number with |x| <= m p.
  [[gnu::always_inline]] void verify_at_most(const char* range, Real x, double m) const {
    verify_whole(range, x, 0x1p53);
    verify(range, [&] { return all_within(x, times(p, all_reals(m))); });
  }
  // The same for what is in [begin p, end p) in the other form.
  [[gnu::always_inline]] void verify_multiples(const char* range, Real x, int begin,
                                               int end) const {
    verify_at_most(range, x, 1.125 * (end - begin) / 2);
  }
  // The same for sums of such, which nothing reduces here: three or five times what goes in.
  [[gnu::always_inline]] void verify_sums(const char* range, Real x) const {
    verify_at_most(range, x, 1.125 * 5);
  }

  // y c, for |y| <= kRoom p: at most 5/8 p. With |c| < p/2, the quotient is wrong by 2^-55 at most,
  // so y quotient is by |y| 2^-55 <= 1/8, and half a unit more by its rounding.
  [[gnu::always_inline]] Real multiply(Real y, const Factor& c) const {
    verify_at_most("product: y <= kRoom p", y, kRoom);
    const Real high = times(y, c.factor);
    const Real q = sub(multiply_add(y, c.quotient, rounder), rounder);
    const Real low = multiply_sub(y, c.factor, high);
    const Real product = add(sub_product(high, q, p), low);
    verify_at_most("product: result <= 5/8 p", product, 0.625);
    return product;
  }
  // The same for |y| <= 4p.
  [[gnu::always_inline]] Real multiply_lazy(Real y, const Factor& c) const {
    return multiply(y, c);
  }
  // x modulo p for |x| < 2^53: at most p/2, but for the error of x / p, which is below 2^-49.
  [[gnu::always_inline]] Real shorten(Real x) const {
    const Real q = sub(multiply_add(x, reciprocal, rounder), rounder);
    const Real short_x = sub_product(x, q, p);
    verify_at_most("shortened <= p/2", short_x, 0.5 + 0x1p-48);
    return short_x;
  }
  [[gnu::always_inline]] Real to_four(Real x) const { return shorten(x); }
  // What sums do without here.
  template <unsigned kMultiple>
  [[gnu::always_inline]] Real wrap(Real x) const {
    return x;
  }
  [[gnu::always_inline]] Real to_room(Real x) const { return x; }
  template <unsigned kMultiple>
  [[gnu::always_inline]] Real difference(Real x, Real y) const {
    return sub(x, y);
  }

  // (x, y) -> (x + c y, x - c y).
  [[gnu::always_inline]] void forward(Real& x, Real& y, const Factor& c) const {
    const Real product = multiply(y, c);
    y = sub(x, product);
    x = add(x, product);
  }
  // (x, y) -> (x + y, c (x - y)).
  [[gnu::always_inline]] void inverse(Real& x, Real& y, const Factor& c) const {
    const Real sum = add(x, y);
    y = multiply(sub(x, y), c);
    x = sum;
  }

  Real p;
  Real reciprocal;
  Real rounder;
};

// Any 64-bit x = high 2^32 + low modulo p: high 2^32 modulo p, plus low, which is small.
template <int kRoom>
struct Folding {
  [[gnu::always_inline]] explicit Folding(const Field& field) : mod(field) {}

  // At most p/2 + 2^32.
  [[gnu::always_inline]] Real operator()(Vec x) const {
    // The bits of 2^84 + 2^32 high and of 2^52 + low.
    const Vec high_bits = bit_or(shift_right<32>(x), to_word(all_reals(0x1p84)));
    const Vec low_bits = bit_or(bit_and(x, all(0xffffffff)), to_word(all_reals(0x1p52)));
    const Real high = sub(to_real(high_bits), all_reals(0x1p84));
    const Real low = sub(to_real(low_bits), all_reals(0x1p52));
    const Real q = sub(multiply_add(high, mod.reciprocal, mod.rounder), mod.rounder);
    return add(sub_product(high, q, mod.p), low);
  }

  Modulus<kRoom> mod;
};

// The forward butterflies take |x| <= 27/8 p to 3p, and what they leave is taken at that. The
// inverse ones take short numbers to short numbers (times the radix). See Level for what they
// compute and for the order of the parts.

struct Radix4 {
  [[gnu::always_inline]] explicit Radix4(const Multiplier* c)
      : outer(c[0]), even(c[1]), odd(c[2]) {}

  // To 7/4 p: all results are the first input, at most p/2, and two products.
  template <int kRoom>
  [[gnu::always_inline]] void forward(const Modulus<kRoom>& mod, Real* a) const {
    each<4>([&](auto k) __attribute__((always_inline)) {
      mod.verify_at_most("radix 4: at most 27/8 p", a[k], 3.375);
    });
    a[0] = mod.shorten(a[0]);
    all_but_first(mod, a);
  }
  // Of what `forward` leaves, to 3p.
  template <int kRoom>
  [[gnu::always_inline]] void forward_again(const Modulus<kRoom>& mod, Real* a) const {
    each<4>([&](auto k) __attribute__((always_inline)) {
      mod.verify_at_most("radix 4 once more: at most 7/4 p", a[k], 1.75);
    });
    all_but_first(mod, a);
  }

  template <int kRoom>
  [[gnu::always_inline]] void inverse(const Modulus<kRoom>& mod, Real* a) const {
    each<4>([&](auto k) __attribute__((always_inline)) {
      mod.verify_at_most("inverse radix 4: short", a[k], Modulus<kRoom>::kShort);
    });
    mod.inverse(a[0], a[1], even);
    mod.inverse(a[2], a[3], odd);
    mod.inverse(a[0], a[2], outer);  // 9/2 p at most: a product takes it
    mod.inverse(a[1], a[3], outer);  // a[1], of two products: 17/16 p for the narrow primes
    a[0] = mod.shorten(a[0]);
    if constexpr (!Modulus<kRoom>::kNarrow) a[1] = mod.shorten(a[1]);
  }

  Factor outer;
  Factor even;
  Factor odd;

 private:
  template <int kRoom>
  [[gnu::always_inline]] void all_but_first(const Modulus<kRoom>& mod, Real* a) const {
    mod.forward(a[0], a[2], outer);
    mod.forward(a[1], a[3], outer);  // 27/8 p + 5/8 p = 4p
    mod.forward(a[0], a[1], even);
    mod.forward(a[2], a[3], odd);
  }
};

}  // namespace

}  // namespace fhe::cpu::three_primes
