// SPDX-License-Identifier: Apache-2.0
// From residues to limbs: the digits of the result by the Chinese remainder theorem, and their
// carries.
#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/residues.hpp"

namespace fhe::cpu::three_primes {

namespace {

constexpr std::size_t kTogether = 2;  // vectors of digits side by side, to fill the pipelines

struct Constants {
  [[gnu::always_inline]] explicit Constants(const Recombination& r)
      : p{all(r.p[0]), all(r.p[1]), all(r.p[2])},
        minus_p{all(0 - r.p[0]), all(0 - r.p[1]), all(0 - r.p[2])},
        scale{Factor(r.scale[0]), Factor(r.scale[1]), Factor(r.scale[2])},
        cofactor_low{all(r.cofactor[0][0]), all(r.cofactor[1][0]), all(r.cofactor[2][0])},
        cofactor_high{all(r.cofactor[0][1]), all(r.cofactor[1][1]), all(r.cofactor[2][1])},
        minus{load_unaligned(r.minus[0]), load_unaligned(r.minus[1]), load_unaligned(r.minus[2])},
        slack(all(r.slack)),
        bits(static_cast<unsigned>(r.bits)) {}

  Vec p[kPrimes];
  Vec minus_p[kPrimes];
  Factor scale[kPrimes];
  Vec cofactor_low[kPrimes];
  Vec cofactor_high[kPrimes];
  Vec minus[3];
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
[[gnu::always_inline]] inline Digits to_digits(const Constants& c, const Limb* const* residues,
                                               std::size_t at) {
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
    d0[v] = add(d0[v], permute(c.minus[0], q));
    d1[v] = add(d1[v], permute(c.minus[1], q));
    d2[v] = add(d2[v], permute(c.minus[2], q));
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

// Sums up digits of three limbs, each one limb beyond the one before, and carries.
class Carry {
 public:
  [[gnu::always_inline]] explicit Carry(Spill spill)
      : second_(in_last_lane(spill.low)), third_(in_last_lane(spill.high)), overflow_(zero()) {}

  // The next eight limbs, from eight digits of limbs w0, w1, w2.
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
    // As two 8-bit numbers, their addition ripples the carries over all lanes at once.
    const unsigned makes = less(sum, from_below);
    const unsigned passes = equal(sum, all(~std::uint64_t{0}));
    verify("a lane makes a carry or passes one on", [&] { return (makes & passes) == 0; });
    const unsigned rippled = (makes << 1) + carry_ + passes;
    carry_ = (rippled >> 8) & 1;
    return add_where(static_cast<Mask>(rippled ^ passes), sum, one);
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
    return _mm512_maskz_set1_epi64(0x80, static_cast<long long>(x));
  }

  Vec second_;
  Vec third_;
  Vec overflow_;
  unsigned carry_ = 0;
};

// Columns that go from the radix-`top` level to limbs at a time, in the first-level cache.
constexpr std::size_t kStretch = 128;

}  // namespace

Spill recombine(const Recombination& recombination, const Limb* const* residues, std::size_t count,
                Spill spill, std::uint64_t* out) {
  const Constants constants(recombination);
  Carry carry(spill);
  for (std::size_t i = 0; i < count; i += kTogether * kWidth) {
    const Digits digits = to_digits(constants, residues, i);
    each<kTogether>([&](auto v) __attribute__((always_inline)) {
      _mm512_storeu_si512(out + i + v * kWidth,
                          carry.add_digits(digits.w0[v], digits.w1[v], digits.w2[v]));
    });
  }
  return carry.spill();
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

}  // namespace fhe::cpu::three_primes
