// SPDX-License-Identifier: Apache-2.0
// Digits from their residues by 52-bit products. The counterpart of digits_reals.hpp. A source
// includes points_ifma.hpp or points_avxifma.hpp before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/residues_ifma.hpp"

namespace fhe::cpu::three_primes {

namespace {

constexpr std::size_t kTogether = 2;  // vectors of digits side by side, to fill the pipelines

template <int kRoom>
struct Constants {
  [[gnu::always_inline]] explicit Constants(const Recombination& r)
      : p{all(r.field[0].p), all(r.field[1].p), all(r.field[2].p)},
        minus_p{all(0 - r.field[0].p), all(0 - r.field[1].p), all(0 - r.field[2].p)},
        scale{Factor(r.scale[0]), Factor(r.scale[1]), Factor(r.scale[2])},
        cofactor_low{all(r.cofactor[0][0]), all(r.cofactor[1][0]), all(r.cofactor[2][0])},
        cofactor_high{all(r.cofactor[0][1]), all(r.cofactor[1][1]), all(r.cofactor[2][1])},
        correction(r),
        slack(all(r.slack)),
        bits(static_cast<unsigned>(r.field[0].bits)) {}

  Vec p[kPrimes];
  Vec minus_p[kPrimes];
  Factor scale[kPrimes];
  Vec cofactor_low[kPrimes];
  Vec cofactor_high[kPrimes];
  Correction correction;
  Vec slack;
  unsigned bits;
};

// Digits of three limbs each, low to high.
struct Digits {
  Vec w0[kTogether];
  Vec w1[kTogether];
  Vec w2[kTogether];
};

// The digits of residues below 2^52, as Recombination says.
template <int kRoom>
[[gnu::always_inline]] inline Digits to_digits(const Constants<kRoom>& c,
                                               const Limb* const* residues, std::size_t at) {
  Vec d0[kTogether];  // digits of 52 bits, not yet carried: below 2^55
  Vec d1[kTogether];
  Vec d2[kTogether];
  Vec shares[kTogether];  // their sum
  each<kPrimes>([&](auto k) __attribute__((always_inline)) {
    Vec y[kTogether];
    Vec m[kTogether];
    each<kTogether>([&](auto v) __attribute__((always_inline)) {
      y[v] = load_residues(residues[k] + at + v * kWidth);
      m[v] = add_low(zero(), y[v], c.scale[k].quotient);
    });
    each<kTogether>([&](auto v) __attribute__((always_inline)) {
      y[v] = add_high(zero(), y[v], c.scale[k].factor);
    });
    each<kTogether>([&](auto v) __attribute__((always_inline)) {
      m[v] = add_high(c.minus_p[k], m[v], c.p[k]);
    });
    each<kTogether>([&](auto v) __attribute__((always_inline)) {
      y[v] = sub(y[v], m[v]);  // (0, 2p)
      verify("shares in [0, 2p)", [&] { return is_within(y[v], zero(), add(c.p[k], c.p[k])); });
      shares[v] = add(k == 0 ? c.slack : shares[v], y[v]);
      d0[v] = add_low(k == 0 ? zero() : d0[v], y[v], c.cofactor_low[k]);
      d1[v] = add_high(k == 0 ? zero() : d1[v], y[v], c.cofactor_low[k]);
      d2[v] = add_high(k == 0 ? zero() : d2[v], y[v], c.cofactor_high[k]);
      d1[v] = add_low(d1[v], y[v], c.cofactor_high[k]);
    });
  });
  Digits digits;
  each<kTogether>([&](auto v) __attribute__((always_inline)) {
    const Vec q = shift_right(shares[v], c.bits);
    verify("q <= 5", [&] { return is_within(q, zero(), all(6)); });
    verify("digits before the carry < 2^55", [&] {
      const Vec end = all(std::uint64_t{1} << 55);
      return is_within(d0[v], zero(), end) && is_within(d1[v], zero(), end) &&
             is_within(d2[v], zero(), end);
    });
    c.correction.add_to(q, d0[v], d1[v], d2[v]);
    d1[v] = add(d1[v], shift_right<52>(d0[v]));
    d2[v] = add(d2[v], shift_right<52>(d1[v]));
    // Of each d the low 52 bits, put together: shifted up by 12, they are rid of the others.
    digits.w0[v] = shift_right_pair<12>(shift_left<12>(d0[v]), d1[v]);
    digits.w1[v] = shift_right_pair<24>(shift_left<12>(d1[v]), d2[v]);
    digits.w2[v] = shift_right<36>(shift_left<12>(d2[v]));
    verify("third limbs < 2^25", [&] { return is_within(digits.w2[v], zero(), all(1U << 25)); });
  });
  return digits;
}

}  // namespace

}  // namespace fhe::cpu::three_primes
