// SPDX-License-Identifier: Apache-2.0
// Products of points by 52-bit products. The counterpart of points_reals.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/residues_ifma.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

namespace {

// What is taken off a sum of shares: q M (see Recombination), in vectors of eight lanes.

// The digits of 2^156 - q M are looked up.
class Correction {
 public:
  [[gnu::always_inline]] explicit Correction(const Recombination& r)
      : minus_{load_unaligned(r.minus[0]), load_unaligned(r.minus[1]), load_unaligned(r.minus[2])} {
  }

  [[gnu::always_inline]] void add_to(Vec q, Vec& d0, Vec& d1, Vec& d2) const {
    d0 = add(d0, permute(minus_[0], q));
    d1 = add(d1, permute(minus_[1], q));
    d2 = add(d2, permute(minus_[2], q));
  }

 private:
  Vec minus_[3];
};

// w b for the four polynomials of a node of the last level, in (0, 2p): by v or i v, from the other
// side for the roots -v and -i v.
template <int kRoom>
[[gnu::always_inline]] inline void multiply_by_roots(const Modulus<kRoom>& mod, const Factor& v,
                                                     const Factor& iv, const Vec* b, Vec* wb) {
  Vec m[4];
  each<4>([&](auto k) __attribute__((always_inline)) {
    m[k] = add_low(zero(), b[k], k < 2 ? v.quotient : iv.quotient);
  });
  each<4>([&](auto k) __attribute__((always_inline)) {
    wb[k] = add_high(zero(), b[k], k < 2 ? v.factor : iv.factor);
  });
  each<4>([&](auto k)
              __attribute__((always_inline)) { m[k] = add_high(mod.minus_p, m[k], mod.p); });
  each<4>([&](auto k) __attribute__((always_inline)) {
    wb[k] = k % 2 == 0 ? sub(wb[k], m[k]) : sub(add(m[k], mod.p2), wb[k]);
  });
}

// `count` nodes of the last level from `index` on: 4 polynomials each, modulo x^8 - w for
// w = v, -v, i v, -i v. With b_k the coefficients of b, and c_k = w b_k,
//   (a b)_j = sum over k <= j of a_k b_(j-k) + sum over k > j of a_k c_(j-k+8):
// a_k times a vector shifted by k out of b and c. The low and the high halves of the eight products
// are summed up apart, and reduced once.
template <int kRoom, bool kAccumulate>
[[gnu::noinline]] void multiply_points(const Tables& tables, std::size_t index, std::size_t count,
                                       Limb* product, const Limb* left, const Limb* right) {
  const Modulus<kRoom> mod(tables.field);
  const Folding<kRoom> folding(tables.field);
  const Vec p_inverse = all(tables.field.p_inverse);
  const Multiplier* c = tables.levels[tables.level_count - 1].forward + 3 * index;
  for (std::size_t n = 0; n < count; ++n) {
    const Factor v(c[1]);
    const Factor iv(c[2]);
    Vec b[4];
    Vec wb[4];
    each<4>([&](auto k)
                __attribute__((always_inline)) { b[k] = load_residues(right + k * kPoint); });
    multiply_by_roots(mod, v, iv, b, wb);
    Vec low[2][4];
    Vec high[2][4];
    each<8>([&](auto k) __attribute__((always_inline)) {
      each<4>([&](auto j) __attribute__((always_inline)) {
        const Vec a = all(left[j * kPoint + k]);
        Vec shifted = b[j];
        if constexpr (k != 0) shifted = lanes_up<k>(b[j], wb[j]);
        low[k % 2][j] = add_low(k < 2 ? zero() : low[k % 2][j], shifted, a);
        high[k % 2][j] = add_high(k < 2 ? zero() : high[k % 2][j], shifted, a);
      });
    });
    each<4>([&](auto k) __attribute__((always_inline)) {
      low[0][k] = add(low[0][k], low[1][k]);
      high[0][k] = add(high[0][k], high[1][k]);
    });
    reduce_sums<4>(mod, folding, p_inverse, low[0], high[0]);
    each<4>([&](auto k) __attribute__((always_inline)) {
      Vec s = high[0][k];
      if constexpr (kAccumulate) s = reduce(add(s, load_residues(product + k * kPoint)), mod.p2);
      store_residues(product + k * kPoint, s);
    });
    c += 3;
    product += 4 * kPoint;
    left += 4 * kPoint;
    right += 4 * kPoint;
  }
}

// Which coefficients of a make up the square of a polynomial modulo x^8 - w, lane by lane. In lane
// j the products a_k a_l with k + l = j modulo 8 come in pairs that are equal, (k, l) and (l, k),
// but for k = l: five different ones. Those of the first three slots count twice, the others once;
// for odd j, where no k = l, the last two slots hold the same product.
struct SquareSlots {
  static constexpr std::size_t kTwice = 3;
  static constexpr std::size_t kSlots = 5;
  alignas(64) std::uint64_t left[kSlots][kWidth] = {};   // k
  alignas(64) std::uint64_t right[kSlots][kWidth] = {};  // l, plus 8 where the factor w is due
};

constexpr SquareSlots square_slots() {
  constexpr std::size_t kAway[2][SquareSlots::kSlots] = {{1, 2, 3, 0, 4}, {1, 2, 3, 0, 0}};
  SquareSlots slots;
  for (std::size_t slot = 0; slot < SquareSlots::kSlots; ++slot) {
    for (std::size_t j = 0; j < kWidth; ++j) {
      const std::size_t k = (j / 2 + kWidth - kAway[j % 2][slot]) % kWidth;
      const std::size_t l = (j + kWidth - k) % kWidth;
      slots.left[slot][j] = k;
      slots.right[slot][j] = k + l > j ? l + kWidth : l;
    }
  }
  return slots;
}

constexpr SquareSlots kSquareSlots = square_slots();

// The product of the points with themselves, by five of the eight products that multiply_points
// takes; the bounds are the same.
template <int kRoom>
[[gnu::noinline]] void square_points(const Tables& tables, std::size_t index, std::size_t count,
                                     Limb* values) {
  const Modulus<kRoom> mod(tables.field);
  const Folding<kRoom> folding(tables.field);
  const Vec p_inverse = all(tables.field.p_inverse);
  const Multiplier* c = tables.levels[tables.level_count - 1].forward + 3 * index;
  for (std::size_t n = 0; n < count; ++n, c += 3, values += 4 * kPoint) {
    const Factor v(c[1]);
    const Factor iv(c[2]);
    Vec a[4];
    Vec wa[4];
    each<4>([&](auto k)
                __attribute__((always_inline)) { a[k] = load_residues(values + k * kPoint); });
    multiply_by_roots(mod, v, iv, a, wa);
    Vec low[4];
    Vec high[4];
    each<SquareSlots::kSlots>([&](auto slot) __attribute__((always_inline)) {
      const Vec left = load(kSquareSlots.left[slot]);
      const Vec right = load(kSquareSlots.right[slot]);
      each<4>([&](auto k) __attribute__((always_inline)) {
        const Vec x = permute(a[k], left);
        const Vec y = permute_pair(a[k], wa[k], right);
        low[k] = add_low(slot == 0 ? zero() : low[k], x, y);
        high[k] = add_high(slot == 0 ? zero() : high[k], x, y);
        if constexpr (slot + 1 == SquareSlots::kTwice) {
          low[k] = add(low[k], low[k]);
          high[k] = add(high[k], high[k]);
        }
      });
    });
    reduce_sums<4>(mod, folding, p_inverse, low, high);
    each<4>([&](auto k)
                __attribute__((always_inline)) { store_residues(values + k * kPoint, high[k]); });
  }
}

}  // namespace

}  // namespace fhe::cpu::three_primes
