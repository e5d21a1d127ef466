// SPDX-License-Identifier: Apache-2.0
// Products of points by 52-bit products, and corrections of digits, in vectors of four lanes. The
// counterpart of points_ifma.hpp; points_reals.hpp goes the same way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/simd/avxifma.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/residues_ifma.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

namespace {

// What is taken off a sum of shares: q M (see Recombination).

// q (2^156 - M), modulo 2^156, is computed: it takes no more instructions than to look up lanes.
class Correction {
 public:
  [[gnu::always_inline]] explicit Correction(const Recombination& r)
      : minus_{all(r.minus[0][1]), all(r.minus[1][1]), all(r.minus[2][1])} {}

  [[gnu::always_inline]] void add_to(Vec q, Vec& d0, Vec& d1, Vec& d2) const {
    d0 = add_low(d0, q, minus_[0]);
    d1 = add_low(add_high(d1, q, minus_[0]), q, minus_[1]);
    d2 = add_low(add_high(d2, q, minus_[1]), q, minus_[2]);
  }

 private:
  Vec minus_[3];
};

constexpr std::size_t kVectors = kPoint / kWidth;  // of a polynomial

// The second factor of a product modulo x^8 - w: with b_k its coefficients and c_k = w b_k, the
// words c_0, ..., c_7, b_0, ..., b_7. Coefficient a_k of the first factor multiplies eight of them,
// from number 8 - k on (see points_reals.hpp).
struct ReadyFactor {
  alignas(64) Limb words[2 * kPoint];
};

// `root`: of which w is the number itself, or with `minus` its negative.
template <int kRoom>
[[gnu::always_inline]] inline void prepare(const Modulus<kRoom>& mod, const Factor& root,
                                           bool minus, const Limb* right, ReadyFactor& ready) {
  each<kVectors>([&](auto v) __attribute__((always_inline)) {
    const Vec b = load_residues(right + v * kWidth);
    const Vec wb = mod.multiply(b, root);  // (0, 2p)
    store_residues(ready.words + v * kWidth, minus ? sub(mod.p2, wb) : wb);
    store_residues(ready.words + kPoint + v * kWidth, b);
  });
}

// The low and the high halves of the eight products of a word are summed up apart, those of every
// other product in chains of their own, and reduced once.
template <int kRoom, bool kAccumulate>
[[gnu::always_inline]] inline void multiply_ready(const Modulus<kRoom>& mod,
                                                  const Folding<kRoom>& folding, Vec p_inverse,
                                                  const Limb* left, const ReadyFactor& ready,
                                                  Limb* product) {
  Vec low[2][kVectors];
  Vec high[2][kVectors];
  each<kPoint>([&](auto k) __attribute__((always_inline)) {
    const Vec a = all(left[k]);
    each<kVectors>([&](auto v) __attribute__((always_inline)) {
      const Vec shifted = load_unaligned(ready.words + kPoint - k + v * kWidth);
      low[k % 2][v] = add_low(k < 2 ? zero() : low[k % 2][v], shifted, a);
      high[k % 2][v] = add_high(k < 2 ? zero() : high[k % 2][v], shifted, a);
    });
  });
  each<kVectors>([&](auto v) __attribute__((always_inline)) {
    low[0][v] = add(low[0][v], low[1][v]);
    high[0][v] = add(high[0][v], high[1][v]);
  });
  reduce_sums<kVectors>(mod, folding, p_inverse, low[0], high[0]);
  each<kVectors>([&](auto v) __attribute__((always_inline)) {
    Limb* const to = product + v * kWidth;
    Vec sum = high[0][v];
    if constexpr (kAccumulate) sum = reduce(add(sum, load_residues(to)), mod.p2);
    store_residues(to, sum);
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
  const Folding<kRoom> folding(tables.field);
  const Vec p_inverse = all(tables.field.p_inverse);
  const Multiplier* c = tables.levels[tables.level_count - 1].forward + 3 * index;
  ReadyFactor ready[kPolynomials];
  for (std::size_t n = 0; n < count; n += kNodesAtOnce) {
    for (std::size_t i = 0; i < kPolynomials; i += 4, c += 3) {
      const Factor v(c[1]);
      const Factor iv(c[2]);
      each<4>([&](auto k) __attribute__((always_inline)) {
        prepare(mod, k < 2 ? v : iv, k % 2 == 1, right, ready[i + k]);
        right += kPoint;
      });
    }
    for (const ReadyFactor& one : ready) {
      multiply_ready<kRoom, kAccumulate>(mod, folding, p_inverse, left, one, product);
      left += kPoint;
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
