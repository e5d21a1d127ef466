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
