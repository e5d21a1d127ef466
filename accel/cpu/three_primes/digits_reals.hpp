// SPDX-License-Identifier: Apache-2.0
// Digits from their residues by fused multiply-adds of reals. The counterpart of digits_ifma.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/residues_reals.hpp"

namespace fhe::cpu::three_primes {

namespace {

constexpr std::size_t kTogether = kWidth == 8 ? 2 : 1;  // vectors of digits side by side

// What upper parts of sums begin at: their last bit is worth 2^50 (see SumOfProducts, which sums up
// in the same way).
constexpr double kUpperBegin = 0x1.8p102;

template <int kRoom>
struct Constants {
  [[gnu::always_inline]] explicit Constants(const Recombination& r)
      : mod{Modulus<kRoom>(r.field[0]), Modulus<kRoom>(r.field[1]), Modulus<kRoom>(r.field[2])},
        scale{Factor(r.scale[0]), Factor(r.scale[1]), Factor(r.scale[2])},
        cofactor{{all_reals(r.real_cofactor[0][0]), all_reals(r.real_cofactor[0][1])},
                 {all_reals(r.real_cofactor[1][0]), all_reals(r.real_cofactor[1][1])},
                 {all_reals(r.real_cofactor[2][0]), all_reals(r.real_cofactor[2][1])}},
        product{all_reals(r.real_product[0]), all_reals(r.real_product[1]),
                all_reals(r.real_product[2])} {}

  Modulus<kRoom> mod[kPrimes];
  Factor scale[kPrimes];
  Real cofactor[kPrimes][2];
  Real product[3];
};

// Digits of three limbs each, low to high.
struct Digits {
  Vec w0[kTogether];
  Vec w1[kTogether];
  Vec w2[kTogether];
};

// A number of three digits of 50 bits that are not carried yet, as whole numbers of either sign.
struct LooseDigits {
  Vec d0;
  Vec d1;
  Vec d2;
};

// The bits of x + kRounder, for whole |x| <= 2^51: those of kRounder, plus x.
[[gnu::always_inline]] inline Vec rounder_plus(Real x) {
  verify("whole number at most 2^51", [&] { return all_within(x, all_reals(0x1p51)); });
  return to_word(add(x, all_reals(kRounder)));
}

// Sum of y_k (M / p_k) - q M for the shares y_k, at most 5/8 p_k.
template <int kRoom>
[[gnu::always_inline]] inline LooseDigits sum_shares(const Constants<kRoom>& c, const Real* y) {
  Real upper[2] = {all_reals(kUpperBegin), all_reals(kUpperBegin)};
  Real lower[2] = {Real{}, Real{}};
  Real quotient = all_reals(0x1p-13 - 0.5);
  each<kPrimes>([&](auto k) __attribute__((always_inline)) {
    each<2>([&](auto digit) __attribute__((always_inline)) {
      const Real sum = multiply_add(y[k], c.cofactor[k][digit], upper[digit]);
      const Real taken = sub(sum, upper[digit]);
      upper[digit] = sum;
      lower[digit] = add(lower[digit], multiply_sub(y[k], c.cofactor[k][digit], taken));
    });
    quotient = multiply_add(y[k], c.mod[k].reciprocal, quotient);
  });
  const Real q = sub(add(quotient, c.mod[0].rounder), c.mod[0].rounder);
  verify("-2 <= q <= 1", [&] { return all_within(add(q, all_reals(0.5)), all_reals(1.5)); });
  verify("upper parts at most 2^101", [&] {
    const Real bound = all_reals(0x1p101);
    return all_within(sub(upper[0], all_reals(kUpperBegin)), bound) &&
           all_within(sub(upper[1], all_reals(kUpperBegin)), bound);
  });
  // |q| times a digit of M is at most 2^51, |lower| at most 3 * 2^49.
  Vec minus[3];
  each<3>([&](auto digit) __attribute__((always_inline)) {
    minus[digit] = to_word(sub_product(c.mod[0].rounder, q, c.product[digit]));
  });
  constexpr auto kRounderBits = std::bit_cast<std::uint64_t>(kRounder);
  constexpr auto kUpperBits = std::bit_cast<std::uint64_t>(kUpperBegin);
  return {sub(add(rounder_plus(lower[0]), minus[0]), all(2 * kRounderBits)),
          sub(add(add(to_word(upper[0]), rounder_plus(lower[1])), minus[1]),
              all(kUpperBits + 2 * kRounderBits)),
          sub(add(to_word(upper[1]), minus[2]), all(kUpperBits + kRounderBits))};
}

// The digits of residues of at most kRoom p, as Recombination says.
template <int kRoom>
[[gnu::always_inline]] inline Digits to_digits(const Constants<kRoom>& c,
                                               const Limb* const* residues, std::size_t at) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 50) - 1;
  // Loose digits are above -8 2^50: with 8 more of the next digit in d0 and in d1, and 8 less in d1
  // and d2 for that, they are carried as numbers without a sign.
  constexpr std::uint64_t kBorrow = 8;
  Digits digits;
  each<kTogether>([&](auto v) __attribute__((always_inline)) {
    Real y[kPrimes];
    each<kPrimes>([&](auto k) __attribute__((always_inline)) {
      y[k] = c.mod[k].multiply(load_residues(residues[k] + at + v * kWidth), c.scale[k]);
    });
    const LooseDigits loose = sum_shares(c, y);
    const Vec d0 = add(loose.d0, all(kBorrow << 50));
    const Vec d1 = add(add(loose.d1, all((kBorrow << 50) - kBorrow)), shift_right<50>(d0));
    const Vec d2 = add(sub(loose.d2, all(kBorrow)), shift_right<50>(d1));
    verify("loose digits within 8 * 2^50", [&] {
      return all_less(d0, all(2 * kBorrow << 50)) && all_less(d1, all(2 * kBorrow << 50));
    });
    verify("third digits < 2^50", [&] { return all_less(d2, all(kMask + 1)); });
    digits.w0[v] = bit_or(bit_and(d0, all(kMask)), shift_left<50>(d1));
    digits.w1[v] = bit_or(shift_right<14>(bit_and(d1, all(kMask))), shift_left<36>(d2));
    digits.w2[v] = shift_right<28>(d2);
  });
  return digits;
}

}  // namespace

}  // namespace fhe::cpu::three_primes
