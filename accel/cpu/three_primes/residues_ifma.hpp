// SPDX-License-Identifier: Apache-2.0
// Arithmetic modulo a prime on as many residues at once as a vector holds, by 52-bit products, and
// the butterflies of radix 4 made of it. The counterpart of residues_reals.hpp, with the same
// names; a source includes ifma.hpp or avxifma.hpp, and then one of the two.
//
// Residues are kept in [0, m p) for a small m, given at each function. What goes into a product
// must be below 2^52 = kRoom * p: kRoom is 8 for primes below 2^49 and 4 for those below 2^50. A
// verify build (bounds.hpp) checks all of that.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

namespace {

using Residue = Vec;
constexpr Form kForm = Form::integers;

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
  return wrap_once(x, bound);
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
  [[gnu::always_inline]] explicit Modulus(const Field& field)
      : p(all(field.p)), minus_p(all(0 - field.p)), p2(all(2 * field.p)), p4(all(4 * field.p)) {}

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
  // In a verify build: fails with the text `range` unless x is in [0, 8p) in every lane.
  [[gnu::always_inline]] void verify_sums(const char* range, Vec x) const {
    verify_multiples(range, x, 0, 8);
  }
  // x - y + m p, for y <= m p.
  template <unsigned kMultiple>
  [[gnu::always_inline]] Vec difference(Vec x, Vec y) const {
    static_assert(kMultiple == 2 || kMultiple == 4);
    return add(sub(x, y), kMultiple == 2 ? p2 : p4);
  }
  // x from [0, 2m p) to [0, m p).
  template <unsigned kMultiple>
  [[gnu::always_inline]] Vec wrap(Vec x) const {
    static_assert(kMultiple == 2 || kMultiple == 4);
    return reduce(x, kMultiple == 2 ? p2 : p4);
  }
  // x from [0, 8p) to [0, 2p).
  [[gnu::always_inline]] Vec shorten(Vec x) const { return reduce(reduce(x, p4), p2); }
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

// The sums low + 2^52 high < 8 * 2^52 * 8p of kSums vectors, over 2^52 and modulo p, into
// `high`: with s such a sum,
//   floor(s / 2^52) - floor((s / p mod 2^52) p / 2^52) = s / 2^52 modulo p, in (-p, 64p),
// which is folded to [0, 2p). Uses `low` up.
template <std::size_t kSums, int kRoom>
[[gnu::always_inline]] inline void reduce_sums(const Modulus<kRoom>& mod,
                                               const Folding<kRoom>& folding, Vec p_inverse,
                                               Vec* low, Vec* high) {
  Vec m[kSums];
  each<kSums>([&](auto k) __attribute__((always_inline)) {
    m[k] = add_low(zero(), low[k], p_inverse);
    high[k] = add(high[k], shift_right<52>(low[k]));
  });
  each<kSums>([&](auto k)
                  __attribute__((always_inline)) { m[k] = add_high(mod.minus_p, m[k], mod.p); });
  each<kSums>([&](auto k)
                  __attribute__((always_inline)) { high[k] = folding(sub(high[k], m[k])); });
}

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

  // Of what `forward` leaves. (Reals need less for it.)
  template <int kRoom>
  [[gnu::always_inline]] void forward_again(const Modulus<kRoom>& mod, Vec* a) const {
    forward(mod, a);
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

}  // namespace

}  // namespace fhe::cpu::three_primes
