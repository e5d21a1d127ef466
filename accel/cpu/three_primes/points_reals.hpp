// SPDX-License-Identifier: Apache-2.0
// Products of points by fused multiply-adds of reals. The counterpart of points_ifma.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/residues_reals.hpp"

namespace fhe::cpu::three_primes {

namespace {

constexpr std::size_t kVectors = kPoint / kWidth;  // of a polynomial

// Sums of up to eight products a b of whole numbers, in two parts without an error. `upper` begins
// at the number 3/2 2^(52 + k), whose last bit is worth 2^k, so that each product adds to it
// a multiple of 2^k, the nearest one; what is left of the product, at most 2^(k-1), is added to
// `lower`. The sum must be at most 2^(51 + k), for `upper` to stay between two powers of two.
//
// With |a| <= p/2 and |b| <= 33/64 p the sum is at most 33/16 p^2: below 2^100 for the narrow
// primes, with k = 49, and below 2^102 for the wide ones, with k = 51. Then |lower| <= 8 2^(k-1).
template <int kRoom>
struct SumOfProducts {
  static constexpr double kBegin = kRoom == 8 ? 0x1.8p101 : 0x1.8p103;

  [[gnu::always_inline]] void add_product(Real a, Real b) {
    const Real sum = multiply_add(a, b, upper);
    const Real taken = sub(sum, upper);
    upper = sum;
    lower = add(lower, multiply_sub(a, b, taken));
  }

  // The sum of this and of another sum modulo p, at most 11/2 p, or for the wide primes 2p.
  [[gnu::always_inline]] Real plus(const SumOfProducts& other, const Modulus<kRoom>& mod) const {
    const Real high = add(sub(upper, all_reals(kBegin)), sub(other.upper, all_reals(kBegin)));
    verify("sum of products: within its range",
           [&] { return all_within(high, all_reals(kBegin / 3)); });
    // An even quotient, since that may be up to 2^52: the remainder is at most p, and a quarter
    // more by the error of 1 / p.
    const Real even_rounder = all_reals(2 * kRounder);
    const Real q = sub(multiply_add(high, mod.reciprocal, even_rounder), even_rounder);
    const Real rest = sub_product(high, q, mod.p);
    mod.verify_at_most("sum of products: remainder <= 11/8 p", rest, 1.375);
    const Real low = add(lower, other.lower);
    if constexpr (kRoom == 8) return add(rest, low);  // low <= 2^51
    return add(rest, mod.shorten(low));
  }

  Real upper = all_reals(kBegin);
  Real lower = all_reals(0);
};

// Polynomials a, b modulo x^8 - w, made ready for a product. With b_k the coefficients of b and
// c_k = w b_k,
//   (a b)_j = sum over k <= j of a_k b_(j-k) + sum over k > j of a_k c_(j-k+8):
// a_k times the words of c_0, ..., c_7, b_0, ..., b_7 from the one with the number 8 - k on.
struct ReadyProduct {
  alignas(64) Limb left[kPoint];
  alignas(64) Limb right[2 * kPoint];
};

// `root`: of which w is the number itself, or with `minus` its negative.
template <int kRoom>
[[gnu::always_inline]] inline void prepare(const Modulus<kRoom>& mod, const Factor& root,
                                           bool minus, const Limb* left, const Limb* right,
                                           ReadyProduct& ready) {
  each<kVectors>([&](auto v) __attribute__((always_inline)) {
    store_residues(ready.left + v * kWidth, mod.shorten(load_residues(left + v * kWidth)));
    const Real b = mod.shorten(load_residues(right + v * kWidth));
    const Real wb = mod.multiply(b, root);
    store_residues(ready.right + v * kWidth, minus ? sub(Real{}, wb) : wb);
    store_residues(ready.right + kPoint + v * kWidth, b);
  });
}

template <int kRoom, bool kAccumulate>
[[gnu::always_inline]] inline void multiply_ready(const Modulus<kRoom>& mod,
                                                  const ReadyProduct& ready, Limb* product) {
  SumOfProducts<kRoom> sums[kVectors][2];  // of every other product: chains of half the length
  each<kPoint>([&](auto k) __attribute__((always_inline)) {
    const Real a = to_real(all(ready.left[k]));
    each<kVectors>([&](auto v) __attribute__((always_inline)) {
      sums[v][k % 2].add_product(a, load_reals_unaligned(ready.right + kPoint - k + v * kWidth));
    });
  });
  each<kVectors>([&](auto v) __attribute__((always_inline)) {
    Limb* const to = product + v * kWidth;
    Real sum = sums[v][0].plus(sums[v][1], mod);
    if constexpr (kAccumulate) sum = add(sum, load_residues(to));
    store_residues(to, mod.shorten(sum));
  });
}

// `count` nodes of the last level from `index` on, a multiple of kNodesAtOnce: 4 polynomials each,
// modulo x^8 - w for w = v, -v, i v, -i v. Some nodes are made ready before the first of them is
// multiplied: by then their words are in the cache, from where they can be read out of step.
template <int kRoom, bool kAccumulate>
[[gnu::noinline]] void multiply_points(const Tables& tables, std::size_t index, std::size_t count,
                                       Limb* product, const Limb* left, const Limb* right) {
  constexpr std::size_t kNodesAtOnce = 4;
  constexpr std::size_t kPolynomials = 4 * kNodesAtOnce;
  const Modulus<kRoom> mod(tables.field);
  const Multiplier* c = tables.levels[tables.level_count - 1].forward + 3 * index;
  ReadyProduct ready[kPolynomials];
  for (std::size_t n = 0; n < count; n += kNodesAtOnce) {
    for (std::size_t i = 0; i < kPolynomials; i += 4, c += 3) {
      const Factor v(c[1]);
      const Factor iv(c[2]);
      each<4>([&](auto k) __attribute__((always_inline)) {
        prepare(mod, k < 2 ? v : iv, k % 2 == 1, left, right, ready[i + k]);
        left += kPoint;
        right += kPoint;
      });
    }
    for (const ReadyProduct& one : ready) {
      multiply_ready<kRoom, kAccumulate>(mod, one, product);
      product += kPoint;
    }
  }
}

// The product of the points with themselves.
template <int kRoom>
void square_points(const Tables& tables, std::size_t index, std::size_t count, Limb* values) {
  multiply_points<kRoom, false>(tables, index, count, values, values, values);
}

}  // namespace

}  // namespace fhe::cpu::three_primes
