// SPDX-License-Identifier: Apache-2.0
// From residues to limbs: the digits of the result by the Chinese remainder theorem, and their
// carries. For both forms of residues: a source includes digits_ifma.hpp or digits_reals.hpp
// before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ripple.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/top.hpp"

namespace fhe::cpu::three_primes {

namespace {

// Sums up digits of three limbs, each one limb beyond the one before, and carries.
class Carry {
 public:
  [[gnu::always_inline]] explicit Carry(Spill spill)
      : second_(in_last_lane(spill.low)), third_(in_last_lane(spill.high)), overflow_(zero()) {}

  // The next kWidth limbs, from as many digits of limbs w0, w1, w2.
  [[gnu::always_inline]] Vec add_digits(Vec w0, Vec w1, Vec w2) {
    const Vec one = all(1);
    // Limb j gets w0 of digit j, w1 of digit j-1, w2 of digit j-2.
    const Vec one_up = lanes_up<1>(w1, second_);
    const Vec two_up = lanes_up<2>(w2, third_);
    second_ = w1;
    third_ = w2;
    Vec sum = add(w0, one_up);
    const Mask first_overflow = less(sum, one_up);
    sum = add(sum, two_up);
    const Mask second_overflow = less(sum, two_up);
    Vec overflow = where(first_overflow, one);
    overflow = add_where(second_overflow, overflow, one);
    const Vec from_below = lanes_up<1>(overflow, overflow_);
    overflow_ = overflow;
    sum = add(sum, from_below);
    // What is left are single carries: lanes that make one, and lanes all ones, which pass one on.
    const Mask makes = less(sum, from_below);
    const Mask passes = equal(sum, all(~std::uint64_t{0}));
    verify("a lane makes a carry or passes one on",
           [&] { return (lanes_of(makes) & lanes_of(passes)) == 0; });
    return add_where(ripple(makes, passes, carry_), sum, one);
  }

  // What is left for the limbs after the last.
  [[gnu::always_inline]] Spill spill() const {
    alignas(64) std::uint64_t second[kWidth];
    alignas(64) std::uint64_t third[kWidth];
    alignas(64) std::uint64_t overflow[kWidth];
    store(second, second_);
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

  Vec second_;
  Vec third_;
  Vec overflow_;
  unsigned carry_ = 0;
};

// Columns that go from the radix-`top` level to limbs at a time, in the first-level cache.
constexpr std::size_t kStretch = 128;

template <int kRoom>
Spill recombine_any(const Recombination& recombination, const Limb* const* residues,
                    std::size_t count, Spill spill, std::uint64_t* out) {
  const Constants<kRoom> constants(recombination);
  Carry carry(spill);
  for (std::size_t i = 0; i < count; i += kTogether * kWidth) {
    const Digits digits = to_digits(constants, residues, i);
    each<kTogether>([&](auto v) __attribute__((always_inline)) {
      store_unaligned(out + i + v * kWidth,
                      carry.add_digits(digits.w0[v], digits.w1[v], digits.w2[v]));
    });
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
