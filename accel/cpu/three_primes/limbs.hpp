// SPDX-License-Identifier: Apache-2.0
// Between limbs and residues.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ripple.hpp"
#include "accel/cpu/three_primes/butterflies.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/primes.hpp"

namespace fhe::cpu::three_primes {

namespace {

// The radix-`top` level: from limbs to residues, and back from residues of blocks to residues of
// digits. Its roots of unity are the fixed ones of order 2 to 6: no tables.
//
// For both forms of residues, as butterflies.hpp.

// The transform of length kTop, of which the first kLoaded inputs are not zero: X_k = sum of a_m
// w^mk. From [0, 2p) to [0, 8p). With Inverse, kTop times the inverse, with all inputs.
template <int kRoom, unsigned kTop>
struct TopDft {
  [[gnu::always_inline]] explicit TopDft(const Field& field)
      : mod(field),
        dft3(field),
        dft5(field),
        fourth(field.fourth),
        fourth_inverse(field.fourth_inverse) {}

  template <unsigned kLoaded>
  [[gnu::always_inline]] void forward(Residue* a) const {
    if constexpr (kTop == 2) {
      two<kLoaded == 1>(a[0], a[1]);
    } else if constexpr (kTop == 3 && kLoaded == 2) {
      three_of_two(a);
    } else if constexpr (kTop == 3) {
      dft3.forward(mod, a[0], a[1], a[2]);
    } else if constexpr (kTop == 4) {
      four<kLoaded == 2>(a, fourth);
    } else if constexpr (kTop == 5) {
      dft5.forward(mod, a);
    } else if constexpr (kTop == 6) {
      six<kLoaded == 3>(a);
    }
  }

  [[gnu::always_inline]] void inverse(Residue* a) const {
    if constexpr (kTop == 2) {
      two<false>(a[0], a[1]);
    } else if constexpr (kTop == 3) {
      dft3.inverse(mod, a[0], a[1], a[2]);
    } else if constexpr (kTop == 4) {
      four<false>(a, fourth_inverse);
    } else if constexpr (kTop == 5) {
      dft5.inverse(mod, a);
    } else if constexpr (kTop == 6) {
      six_inverse(a);
    }
    each<kTop>([&](auto k) __attribute__((always_inline)) { a[k] = mod.to_room(a[k]); });
  }

  template <bool kOneLoaded>
  [[gnu::always_inline]] void two(Residue& a, Residue& b) const {
    if constexpr (kOneLoaded) {
      b = a;
    } else {
      const Residue difference = mod.template difference<2>(a, b);
      a = add(a, b);
      b = difference;
    }
  }

  // X_0 = a0 + a1, X_1 = a0 + w a1, X_2 = a0 + w^2 a1 = a0 - a1 - w a1.
  [[gnu::always_inline]] void three_of_two(Residue* a) const {
    const Residue t = mod.multiply(a[1], dft3.third);
    a[2] = sub(mod.template difference<4>(a[0], a[1]), t);
    const Residue sum = add(a[0], a[1]);
    a[1] = add(a[0], t);
    a[0] = sum;
  }

  // i: a root of unity of order 4.
  template <bool kTwoLoaded>
  [[gnu::always_inline]] void four(Residue* a, const Factor& i) const {
    const Residue even_sum = kTwoLoaded ? a[0] : add(a[0], a[2]);
    const Residue even_difference = kTwoLoaded ? a[0] : mod.template difference<2>(a[0], a[2]);
    const Residue odd_sum = kTwoLoaded ? a[1] : add(a[1], a[3]);
    const Residue odd_difference =
        mod.multiply(kTwoLoaded ? a[1] : mod.template difference<2>(a[1], a[3]), i);
    a[0] = add(even_sum, odd_sum);
    a[2] = mod.template difference<4>(even_sum, odd_sum);
    a[1] = add(even_difference, odd_difference);
    a[3] = mod.template difference<2>(even_difference, odd_difference);
  }

  // With w = -w3^2: X_2k = sum over m < 3 of (a_m + a_m+3) w3^mk and
  // X_2k+3 = sum over m < 3 of (-1)^m (a_m - a_m+3) w3^mk.
  template <bool kThreeLoaded>
  [[gnu::always_inline]] void six(Residue* a) const {
    Residue even[3];
    Residue odd[3];
    each<3>([&](auto m) __attribute__((always_inline)) {
      if constexpr (kThreeLoaded) {
        even[m] = a[m];
        odd[m] =
            m == 1 ? mod.template difference<2>(Residue{}, a[m]) : a[m];  // up to 2p, inclusive
      } else {
        even[m] = mod.template wrap<2>(add(a[m], a[m + 3]));
        const Residue difference = m == 1 ? mod.template difference<2>(a[m + 3], a[m])
                                          : mod.template difference<2>(a[m], a[m + 3]);
        odd[m] = mod.template wrap<2>(difference);
      }
    });
    dft3.forward(mod, even[0], even[1], even[2]);
    dft3.forward(mod, odd[0], odd[1], odd[2]);
    each<3>([&](auto k) __attribute__((always_inline)) {
      a[2 * k] = even[k];
      a[(2 * k + 3) % 6] = odd[k];
    });
  }

  [[gnu::always_inline]] void six_inverse(Residue* a) const {
    Residue even[3];
    Residue odd[3];
    each<3>([&](auto k) __attribute__((always_inline)) {
      even[k] = a[2 * k];
      odd[k] = a[(2 * k + 3) % 6];
    });
    dft3.inverse(mod, even[0], even[1], even[2]);
    dft3.inverse(mod, odd[0], odd[1], odd[2]);
    each<3>([&](auto m) __attribute__((always_inline)) {
      const Residue e = mod.shorten(even[m]);
      const Residue o = mod.shorten(odd[m]);
      const Residue sum = add(e, o);
      const Residue difference = mod.template difference<2>(e, o);
      a[m] = m == 1 ? difference : sum;
      a[m + 3] = m == 1 ? sum : difference;
    });
  }

  Modulus<kRoom> mod;
  Dft3 dft3;
  Dft5 dft5;
  Factor fourth;
  Factor fourth_inverse;
};

// A vector of limbs from `position` on, of which those from `count` on are zero.
[[gnu::always_inline]] inline Vec load_limbs(const std::uint64_t* limbs, std::size_t count,
                                             std::size_t position) {
  if (position + kWidth <= count) return load_unaligned(limbs + position);
  if (position >= count) return zero();
  return load_where(mask_of((1U << (count - position)) - 1), limbs + position);
}

template <int kRoom, unsigned kTop, unsigned kLoaded>
void split(const Tables& tables, const std::uint64_t* limbs, std::size_t count, Limb* residues,
           std::size_t first, std::size_t last) {
  const Folding<kRoom> folding(tables.field);
  const TopDft<kRoom, kTop> dft(tables.field);
  for (std::size_t column = first; column < last; column += kWidth) {
    Residue a[kTop];
    each<kTop>([&](auto m) __attribute__((always_inline)) {
      if constexpr (m < kLoaded) {
        a[m] = folding(load_limbs(limbs, count, m * tables.block_limbs + column));
      } else {
        a[m] = Residue{};
      }
    });
    dft.template forward<kLoaded>(a);
    each<kTop>([&](auto k) __attribute__((always_inline)) {
      store_residues(residues + k * tables.stride + column, dft.mod.to_room(a[k]));
    });
  }
}

template <int kRoom, unsigned kTop>
void split_any(const Tables& tables, const std::uint64_t* limbs, std::size_t count, Limb* residues,
               std::size_t first, std::size_t last) {
  constexpr unsigned kHalf = (kTop + 1) / 2;
  if (count <= kHalf * tables.block_limbs) {
    split<kRoom, kTop, kHalf>(tables, limbs, count, residues, first, last);
  } else {
    split<kRoom, kTop, kTop>(tables, limbs, count, residues, first, last);
  }
}

template <int kRoom, unsigned kTop>
void inverse_top_any(const Tables& tables, const Limb* residues, std::size_t first,
                     std::size_t last, Limb* out, std::size_t out_stride) {
  const TopDft<kRoom, kTop> dft(tables.field);
  for (std::size_t column = first; column < last; column += kWidth, out += kWidth) {
    Residue a[kTop];
    each<kTop>([&](auto k) __attribute__((always_inline)) {
      a[k] = load_residues(residues + k * tables.stride + column);
    });
    dft.inverse(a);
    each<kTop>([&](auto m)
                   __attribute__((always_inline)) { store_residues(out + m * out_stride, a[m]); });
  }
}

using Split = void (*)(const Tables&, const std::uint64_t*, std::size_t, Limb*, std::size_t,
                       std::size_t);
using InverseTop = void (*)(const Tables&, const Limb*, std::size_t, std::size_t, Limb*,
                            std::size_t);

template <int kRoom>
constexpr Split kSplit[] = {split_any<kRoom, 1>, split_any<kRoom, 2>, split_any<kRoom, 3>,
                            split_any<kRoom, 4>, split_any<kRoom, 5>, split_any<kRoom, 6>};
template <int kRoom>
constexpr InverseTop kInverseTop[] = {inverse_top_any<kRoom, 1>, inverse_top_any<kRoom, 2>,
                                      inverse_top_any<kRoom, 3>, inverse_top_any<kRoom, 4>,
                                      inverse_top_any<kRoom, 5>, inverse_top_any<kRoom, 6>};

void split_limbs(const Tables& tables, const std::uint64_t* limbs, std::size_t count,
                 Limb* residues, std::size_t first, std::size_t last) {
  const Split* splits = tables.field.bits == kNarrow.bits ? kSplit<8> : kSplit<4>;
  splits[tables.top - 1](tables, limbs, count, residues, first, last);
}

void inverse_top(const Tables& tables, const Limb* residues, std::size_t first, std::size_t last,
                 Limb* out, std::size_t out_stride) {
  const InverseTop* tops = tables.field.bits == kNarrow.bits ? kInverseTop<8> : kInverseTop<4>;
  tops[tables.top - 1](tables, residues, first, last, out, out_stride);
}

// From residues to limbs: the digits of the result by the Chinese remainder theorem, and their
// carries. For both forms of residues: a source includes digits_ifma.hpp or digits_reals.hpp
// before.

// Sums up digits of three limbs, each one limb beyond the one before, and carries.
class Carry {
 public:
  [[gnu::always_inline]] explicit Carry(Spill spill)
      : second_(bit_xor(in_last_lane(spill.low), all(kHighestBit))),
        third_(in_last_lane(spill.high)),
        overflow_(zero()) {}

  // The next kWidth limbs, from as many digits of limbs w0, w1, w2. Limb j gets w0 of digit j, w1
  // of digit j - 1 and w2 of digit j - 2. Limbs are added with their highest bit inverted, so that
  // signed comparisons tell overflows: AVX2 has no others.
  [[gnu::always_inline]] Vec add_digits(Vec w0, Vec w1, Vec w2) {
    const Vec second = bit_xor(w1, all(kHighestBit));
    const Vec one_up = lanes_up<1>(second, second_);
    const Vec two_up = lanes_up<2>(w2, third_);
    second_ = second;
    third_ = w2;
    const Vec two = add(w0, one_up);
    const Vec three = add(two, two_up);
    const Vec overflow =
        increment_where(less_signed(three, two), increment_where(less_signed(two, one_up), zero()));
    const Vec sum = add(three, lanes_up<1>(overflow, overflow_));
    overflow_ = overflow;
    // What is left are single carries: lanes that make one, and lanes all ones, which pass one on.
    const Mask makes = less_signed(sum, three);
    const Mask passes = equal(sum, all(~kHighestBit));
    verify("a lane makes a carry or passes one on",
           [&] { return (lanes_of(makes) & lanes_of(passes)) == 0; });
    return bit_xor(increment_where(ripple(makes, passes, carry_), sum), all(kHighestBit));
  }

  // What is left for the limbs after the last.
  [[gnu::always_inline]] Spill spill() const {
    alignas(64) std::uint64_t second[kWidth];
    alignas(64) std::uint64_t third[kWidth];
    alignas(64) std::uint64_t overflow[kWidth];
    store(second, bit_xor(second_, all(kHighestBit)));
    store(third, third_);
    store(overflow, overflow_);
    // The third limbs are below 2^25, so only the first sum can overflow.
    const std::uint64_t rest = third[kWidth - 2] + overflow[kWidth - 1] + carry_;
    const std::uint64_t low = second[kWidth - 1] + rest;
    return {low, third[kWidth - 1] + (low < rest ? 1 : 0)};
  }

 private:
  [[gnu::always_inline]] static Vec in_last_lane(std::uint64_t x) {
    return where(mask_of(1U << (kWidth - 1)), all(x));
  }

  static constexpr std::uint64_t kHighestBit = std::uint64_t{1} << 63;

  Vec second_;  // with its highest bit inverted
  Vec third_;
  Vec overflow_;
  unsigned carry_ = 0;
};

// Columns that go from the radix-`top` level to limbs at a time, in the first-level cache.
constexpr std::size_t kStretch = 128;

// Digits that are found before the first of them is carried: so more of them are under way at a
// time.
constexpr std::size_t kRunDigits = 32;

template <int kRoom>
Spill recombine_any(const Recombination& recombination, const Limb* const* residues,
                    std::size_t count, Spill spill, std::uint64_t* out) {
  constexpr std::size_t kRun = kRunDigits / (kTogether * kWidth);
  const Constants<kRoom> constants(recombination);
  Carry carry(spill);
  Digits run[kRun];
  for (std::size_t i = 0; i < count; i += kRunDigits) {
    for (std::size_t n = 0; n < kRun; ++n) {
      run[n] = to_digits(constants, residues, i + n * kTogether * kWidth);
    }
    for (std::size_t n = 0; n < kRun; ++n) {
      each<kTogether>([&](auto v) __attribute__((always_inline)) {
        store_unaligned(out + i + (n * kTogether + v) * kWidth,
                        carry.add_digits(run[n].w0[v], run[n].w1[v], run[n].w2[v]));
      });
    }
  }
  return carry.spill();
}

Spill recombine(const Recombination& recombination, const Limb* const* residues, std::size_t count,
                Spill spill, std::uint64_t* out) {
  const auto any =
      recombination.field[0].bits == kNarrow.bits ? recombine_any<8> : recombine_any<4>;
  return any(recombination, residues, count, spill, out);
}

void join_limbs(const Tables* const* tables, const Recombination& recombination,
                const Limb* const* residues, std::size_t first, std::size_t last,
                std::uint64_t* out, Spill* spills) {
  alignas(64) Limb digits[kPrimes][kMaxTop * kStretch];
  const unsigned top = tables[0]->top;
  for (unsigned row = 0; row < top; ++row) spills[row] = {0, 0};
  for (std::size_t column = first; column < last; column += kStretch) {
    const std::size_t end = last - column < kStretch ? last : column + kStretch;
    for (std::size_t k = 0; k < kPrimes; ++k) {
      inverse_top(*tables[k], residues[k], column, end, digits[k], kStretch);
    }
    for (unsigned row = 0; row < top; ++row) {
      const std::size_t at = row * kStretch;
      const Limb* of_row[kPrimes] = {digits[0] + at, digits[1] + at, digits[2] + at};
      spills[row] = recombine(recombination, of_row, end - column, spills[row],
                              out + row * tables[0]->block_limbs + column);
    }
  }
}

}  // namespace

}  // namespace fhe::cpu::three_primes
